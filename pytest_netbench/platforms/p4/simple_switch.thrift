/* The part of bmv2's runtime API that is used here. Names, numbers and types are those of the API: they are what is sent. */

enum BmMatchParamType { EXACT = 0, LPM = 1, TERNARY = 2, VALID = 3, RANGE = 4 }

struct BmMatchParamExact { 1: binary key }
struct BmMatchParamLPM { 1: binary key, 2: i32 prefix_length }
struct BmMatchParamTernary { 1: binary key, 2: binary mask }
struct BmMatchParamValid { 1: bool key }
struct BmMatchParamRange { 1: binary start, 2: binary end_ }

struct BmMatchParam {
  1: BmMatchParamType type,
  2: optional BmMatchParamExact exact,
  3: optional BmMatchParamLPM lpm,
  4: optional BmMatchParamTernary ternary,
  5: optional BmMatchParamValid valid,
  6: optional BmMatchParamRange range
}

struct BmAddEntryOptions { 1: optional i32 priority }
struct BmCounterValue { 1: i64 bytes, 2: i64 packets }

enum TableOperationErrorCode {
  TABLE_FULL = 1,
  INVALID_HANDLE = 2,
  EXPIRED_HANDLE = 3,
  COUNTERS_DISABLED = 4,
  INVALID_TABLE_NAME = 7,
  INVALID_ACTION_NAME = 8,
  WRONG_TABLE_TYPE = 9,
  DUPLICATE_ENTRY = 17,
  BAD_MATCH_KEY = 18,
  DEFAULT_ACTION_IS_CONST = 20,
  DEFAULT_ENTRY_IS_CONST = 21,
  NO_DEFAULT_ENTRY = 22,
  IMMUTABLE_TABLE_ENTRIES = 25,
  BAD_ACTION_DATA = 26,
  ERROR = 100
}

exception InvalidTableOperation { 1: TableOperationErrorCode code }
exception InvalidCounterOperation { 1: i32 code }
exception InvalidRegisterOperation { 1: i32 code }
exception InvalidDevMgrOperation { 1: i32 code }

enum BmActionEntryType { NONE = 0, ACTION_DATA = 1, MBR_HANDLE = 2, GRP_HANDLE = 3 }

struct BmActionEntry {
  1: BmActionEntryType action_type,
  2: optional string action_name,
  3: optional list<binary> action_data,
  4: optional i32 mbr_handle,
  5: optional i32 grp_handle
}

struct BmMtEntry {
  1: list<BmMatchParam> match_key,
  2: BmAddEntryOptions options,
  3: i32 entry_handle,
  4: BmActionEntry action_entry
}

struct DevMgrPortInfo { 1: i32 port_num, 2: string iface_name, 3: bool is_up, 4: map<string, string> extra }

service Standard {
  i64 bm_mt_get_num_entries(1: i32 cxt_id, 2: string table_name) throws (1: InvalidTableOperation ouch),
  void bm_mt_clear_entries(1: i32 cxt_id, 2: string table_name, 3: bool reset_default_entry)
    throws (1: InvalidTableOperation ouch),
  i32 bm_mt_add_entry(
    1: i32 cxt_id, 2: string table_name, 3: list<BmMatchParam> match_key, 4: string action_name,
    5: list<binary> action_data, 6: BmAddEntryOptions options
  ) throws (1: InvalidTableOperation ouch),
  void bm_mt_set_default_action(1: i32 cxt_id, 2: string table_name, 3: string action_name, 4: list<binary> action_data)
    throws (1: InvalidTableOperation ouch),
  void bm_mt_reset_default_entry(1: i32 cxt_id, 2: string table_name) throws (1: InvalidTableOperation ouch),
  void bm_mt_delete_entry(1: i32 cxt_id, 2: string table_name, 3: i32 entry_handle)
    throws (1: InvalidTableOperation ouch),
  void bm_mt_modify_entry(
    1: i32 cxt_id, 2: string table_name, 3: i32 entry_handle, 4: string action_name, 5: list<binary> action_data
  ) throws (1: InvalidTableOperation ouch),
  BmCounterValue bm_mt_read_counter(1: i32 cxt_id, 2: string table_name, 3: i32 entry_handle)
    throws (1: InvalidTableOperation ouch),
  void bm_mt_reset_counters(1: i32 cxt_id, 2: string table_name) throws (1: InvalidTableOperation ouch),
  list<BmMtEntry> bm_mt_get_entries(1: i32 cxt_id, 2: string table_name) throws (1: InvalidTableOperation ouch),
  BmActionEntry bm_mt_get_default_entry(1: i32 cxt_id, 2: string table_name) throws (1: InvalidTableOperation ouch),
  BmMtEntry bm_mt_get_entry_from_key(
    1: i32 cxt_id, 2: string table_name, 3: list<BmMatchParam> match_key, 4: BmAddEntryOptions options
  ) throws (1: InvalidTableOperation ouch),
  BmCounterValue bm_counter_read(1: i32 cxt_id, 2: string counter_name, 3: i32 index)
    throws (1: InvalidCounterOperation ouch),
  void bm_counter_reset_all(1: i32 cxt_id, 2: string counter_name) throws (1: InvalidCounterOperation ouch),
  i64 bm_register_read(1: i32 cxt_id, 2: string register_array_name, 3: i32 idx)
    throws (1: InvalidRegisterOperation ouch),
  list<i64> bm_register_read_all(1: i32 cxt_id, 2: string register_array_name)
    throws (1: InvalidRegisterOperation ouch),
  void bm_register_write(1: i32 cxt_id, 2: string register_array_name, 3: i32 index, 4: i64 value)
    throws (1: InvalidRegisterOperation ouch),
  void bm_register_reset(1: i32 cxt_id, 2: string register_array_name) throws (1: InvalidRegisterOperation ouch),
  list<DevMgrPortInfo> bm_dev_mgr_show_ports() throws (1: InvalidDevMgrOperation ouch)
}
