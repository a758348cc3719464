# The rooms of the house and the stairs between them: every folder with sources is one library, and this is what it may
# include besides itself. Arrows go down only; a room may also use what the rooms it names use. The test
# unit_architecture holds every #include against this table, the linker every call.
#
#   room(FOLDER LIBRARIES... NAMES...)     target: tw_ and the folder with _ for /

# sim: the machine. It knows no tensor and no operator.
room(sim/base                      fmt::fmt yaml-cpp PRIVATE ${TILEWRIGHT_LIBCSV})
room(sim/hw/config                 sim/base)
room(sim/hw/timing                 sim/hw/config)
room(sim/isa                       sim/hw/timing)
room(sim/isa/link                  sim/isa)
room(sim/isa/verify                sim/isa)

# sim/machine: what the parts of the chip do, as plain classes. sim/model: the SystemC modules around them.
room(sim/machine/port              sim/base)
room(sim/machine/dram              sim/hw/timing)
room(sim/machine/network           sim/hw/config)
room(sim/machine/memory            sim/isa sim/machine/port sim/machine/network)
room(sim/machine/core              sim/machine/memory)
room(sim/machine/stall             sim/machine/core)
room(sim/model/kernel              sim/machine/port tw_systemc)
room(sim/model/dram                sim/model/kernel sim/machine/dram)
room(sim/model/network             sim/model/kernel sim/machine/network)
room(sim/model/core                sim/model/kernel sim/machine/core)
room(sim/model                     sim/model/core sim/model/dram sim/model/network)
room(sim                           sim/isa/verify PRIVATE sim/model sim/machine/stall)

# planner: from operators to programs and choices.
room(planner/graph                 sim/base Boost::headers)
room(planner/constants             sim/base)
room(planner/view                  planner/graph)
room(planner/reference             planner/graph)
room(planner/import/language       planner/graph PRIVATE nlohmann_json::nlohmann_json)
room(planner/import                planner/reference planner/import/language PRIVATE protobuf::libprotobuf onnx_proto)
room(planner/ir                    planner/graph planner/constants sim/isa)
room(planner/estimate              planner/ir)
room(planner/estimate/queue_model  planner/estimate sim/machine/core sim/machine/dram)
room(planner/emit                  planner/ir planner/reference)
room(planner/emit/communication    sim/isa)
room(planner/emit/copy             planner/estimate planner/view)
room(planner/emit/chain            planner/emit planner/estimate)
room(planner/emit/window_chain     planner/emit planner/estimate)
room(planner/passes/fold           planner/emit)
room(planner/passes/fuse           planner/estimate)
room(planner/passes/decompose      planner/ir)
room(planner/passes/merge          planner/ir)
room(planner/passes/group          planner/emit/chain planner/emit/window_chain)
room(planner/passes/label          planner/estimate planner/reference)
room(planner/passes/split          planner/ir)
room(planner/passes/tile           planner/estimate planner/emit/chain planner/emit/window_chain)
room(planner/passes/order          planner/ir)
room(planner/passes/allocate       planner/estimate)
room(planner/passes/reduce_partials planner/ir)
room(planner/passes/lower          planner/estimate planner/emit/chain planner/emit/window_chain planner/emit/copy)
room(planner/passes/link           planner/estimate planner/emit sim/isa/verify)
room(planner/passes/replicate      planner/ir sim/isa/verify)
room(planner/passes/pack           planner/ir sim/isa/verify)
room(planner/passes/copy           planner/emit planner/emit/copy)
room(planner/passes                planner/passes/fold planner/passes/fuse planner/passes/decompose planner/passes/merge
                                   planner/passes/group
                                   planner/passes/label
                                   planner/passes/split planner/passes/tile planner/passes/order
                                   planner/passes/allocate planner/passes/reduce_partials planner/passes/lower
                                   planner/passes/link planner/passes/replicate planner/passes/pack)
room(planner/measure               planner/passes planner/passes/copy planner/estimate/queue_model sim PRIVATE nlohmann_json::nlohmann_json)
room(planner/search/tiling         planner/measure Boost::headers nlohmann_json::nlohmann_json)
room(planner/search/database       planner/search/tiling PRIVATE nlohmann_json::nlohmann_json SQLiteCpp)
room(planner/search/order          planner/search/tiling)
room(planner/search/study          planner/search/database planner/import)
room(planner/report/run            planner/search/order planner/import/language nlohmann_json::nlohmann_json)
room(planner/report/study          planner/report/run planner/search/study)

room(validation                    planner/search/tiling planner/search/study planner/import planner/report/run planner/emit/communication)

# What runs for a moment or waits for files.
foreach(room sim_hw_config planner_import planner_import_language planner_search_database planner_search_study planner_report_run
        planner_report_study validation)
  optimise_little(tw_${room})
endforeach()
