// Small helpers that make elements.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A heading, a sentence about what is to be seen, and a place for the content.
export function section(parent, level, title, note, ...children) {
  parent.append(element(level, {}, title));
  if (note) parent.append(element('p', { class: 'note' }, note));
  parent.append(...children);
}

export function figures(list) {
  return element('div', { class: 'figures' }, ...list.map(([label, value]) =>
    element('div', { class: 'figure' }, element('div', { class: 'value' }, value), element('div', { class: 'label' }, label))));
}

export function select(label, options, chosen, change) {
  const box = element('select', {}, ...options.map(([value, text]) => element('option', { value }, text)));
  box.value = chosen;
  box.addEventListener('change', () => change(box.value));
  return element('label', {}, `${label} `, box);
}
