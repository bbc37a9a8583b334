/** Schemas with everything that the language has. All are in the package `all`. */
export const validTexts: readonly string[] = [
  `syntax = "proto2"; package all; import "google/protobuf/descriptor.proto"; import "google/protobuf/any.proto";
message A { required string s = 1 [default = "a\\"\\n\\001é"]; optional bytes b = 2 [default = "\\377\\x00q"]; optional float f = 3 [default = -inf];
 optional double d = 31 [default = 1e-7]; optional float gg = 32 [default = 3.14159274]; optional double h = 33 [default = 123456789012345678]; optional float i = 34 [default = 1e30];
 repeated group Item = 4 { optional int32 n = 1; } extensions 100 to 199, 300 [verification = UNVERIFIED]; extend A { optional int32 x = 100; }
 oneof o { group G = 5 { optional A a = 1; } int32 plain = 6; } optional E e = 7 [default = TWO]; optional nan_t nan = 8; message nan_t {} map<string, E> me = 9; message Last {} }
enum E { ONE = 1; TWO = -2; reserved -10 to -5, 1000 to max; reserved "X"; } extend A { repeated string y = 101 [deprecated = false]; optional group Grp = 102 { optional int32 q = 1; } }`,

  `syntax = "proto3"; package all; import "google/protobuf/descriptor.proto"; import "google/protobuf/any.proto";
option java_package = "x"; option (file_opt) = "f"; option optimize_for = LITE_RUNTIME;
extend google.protobuf.FileOptions { string file_opt = 50001; }
extend google.protobuf.FieldOptions { Opt opt = 50002; repeated int32 nums = 50003; repeated Opt opts = 50004; optional double dbl = 50005; Col col = 50006; bytes raw = 50007; sint64 s64 = 50008; bool flag = 50009; float flt = 50010; fixed32 fx = 50011; }
extend google.protobuf.MessageOptions { Opt mopt = 50002; } extend google.protobuf.EnumOptions { string eopt = 50002; } extend google.protobuf.EnumValueOptions { string evopt = 50002; }
extend google.protobuf.OneofOptions { string oopt = 50002; } extend google.protobuf.ServiceOptions { string sopt = 50002; } extend google.protobuf.MethodOptions { Opt methopt = 50002; }
enum Col { RED = 0; BLUE = 5; }
message Opt { int32 a = 1; Opt in = 2; repeated string r = 3; map<string, int32> m = 4; oneof k { string k1 = 5; int64 k2 = 6; } google.protobuf.Any any = 7; Col c = 8; repeated Col cs = 9; double d = 10; bool b = 11; bytes by = 12; repeated Opt many = 13; }
message M { option (mopt).in.in.a = -5; option (mopt).in.r = "x"; option (mopt).in.r = "y"; option (.all.mopt).a = 0x1f;
 int32 a = 1 [(opt) = { a: 1, in { a: 2; r: ["p", 'q' "r"] } m { key: "k" value: 3 } m: { key: "l", value: 010 } k2: 9223372036854775807 any { [type.googleapis.com/all.Opt] { a: 9 } } c: BLUE cs: [RED, BLUE] d: -inf b: t by: "\\377" many: [{a: 1}, <a: 2>] many { a: 3 } }, (nums) = 1, (nums) = 2, (opts) = {a: 1}, (opts) = {}, (dbl) = nan, (col) = BLUE, (raw) = "\\001\\xff", (s64) = -3, (flag) = true, (flt) = 1.5, (fx) = 7];
 oneof z { option (oopt) = "o"; string y = 2; } optional int32 opt1 = 3; optional M _opt1 = 4; string X_opt1 = 5 [json_name = "xx"]; }
enum E { option (eopt) = "e"; A = 0 [(evopt) = "v", deprecated = true]; }
service S { option (sopt) = "s"; option deprecated = true; rpc X (M) returns (stream .all.M) { option (methopt) = { a: 1 }; option idempotency_level = IDEMPOTENT; } rpc Y(stream M) returns (M); }`,

  `edition = "2023"; package all; option features.enum_type = CLOSED; 
message M { int32 a = 1 [features.field_presence = LEGACY_REQUIRED]; M m = 2 [features.message_encoding = DELIMITED]; repeated int32 r = 3 [features.repeated_field_encoding = EXPANDED]; reserved foo, bar; E e = 4 [default = Y]; extensions 10 to 20; string s = 5 [features.field_presence = IMPLICIT]; }
enum E { option features.enum_type = CLOSED; X = 4; Y = 6; } extend M { string ext = 11; }`,

  `syntax = "proto3"; package all; import "confluent/meta.proto"; import "google/type/date.proto"; import "google/type/money.proto"; import "confluent/type/decimal.proto"; import public "google/protobuf/timestamp.proto";
message M { option (confluent.message_meta) = { doc: "d", params: [{key: "a", value: "b"}], tags: ["PII"], rules: { name: "n" expr: "x" } };
 confluent.type.Decimal d = 1 [(confluent.field_meta) = { params: [ { value: "8", key: "precision" }, { value: "3", key: "scale" } ] }]; google.type.Date date = 2; google.type.Money money = 3; google.protobuf.Timestamp ts = 4; map<string, M> mm = 5; message N {} }`,
];

/** Schemas that break a rule, and what is said about it. */
export const invalidTexts: readonly (readonly [string, RegExp])[] = [
  ['message A {', /^1:12: expected "}", found the end of the file$/],
  ['syntax = "proto4";', /^1:10: syntax "proto4" is unknown/],
  ['edition = "2099";', /^1:11: edition "2099" is not supported/],
  ['message A {\n  string a = 1;\n}', /^2:3: a field of proto2 needs/],
  ['syntax = "proto3"; message A { required string a = 1; }', /^1:32: proto3 has no required fields$/],
  [
    'syntax = "proto3"; message A { int32 a = 0; }',
    /^1:38: the number of field "a" must be from 1 to 536870911$/,
  ],
  ['syntax = "proto3"; message A { int32 a = 536870912; }', /must be from 0 to 536870911$/],
  ['syntax = "proto3"; message A { int32 a = 19000; }', /19000 to 19999 are reserved/],
  ['syntax = "proto3"; message A { int32 a = 1; int32 b = 1; }', /fields "a" and "b" of "A" have number 1$/],
  ['syntax = "proto3"; message A { int32 a = 1; int32 a = 2; }', /"A.a" is declared twice$/],
  ['syntax = "proto3"; message A {} enum A { X = 0; }', /"A" is declared twice$/],
  ['syntax = "proto3"; message A { int32 a = 1; int32 A_ = 2; int32 a_ = 3; }', /the same name in JSON$/],
  ['syntax = "proto3"; enum A { X = 1; }', /the first value of enum "A" must be zero$/],
  ['syntax = "proto3"; enum A { X = 0; Y = 0; }', /use the option allow_alias$/],
  ['syntax = "proto3"; enum A { }', /enum "A" has no value$/],
  ['syntax = "proto3"; enum A { X = 0; } enum B { X = 0; }', /"X" is declared twice$/],
  ['syntax = "proto3"; message A { map<float, string> m = 1; }', /"float" must not be the key of a map/],
  ['syntax = "proto3"; message A { repeated map<string, string> m = 1; }', /a map has no label$/],
  ['syntax = "proto3"; message A { B b = 1; }', /^1:32: type "B" is not defined or not imported$/],
  ['syntax = "proto3"; message A { google.protobuf.Timestamp b = 1; }', /is not defined or not imported$/],
  [
    'syntax = "proto3"; message A { reserved 1 to 5; int32 a = 3; }',
    /number 3 is reserved and also the number of field "a"$/,
  ],
  ['syntax = "proto3"; message A { reserved "a"; int32 a = 3; }', /name "a" is reserved$/],
  ['syntax = "proto3"; message A { reserved 1 to 5, 4; }', /number 4 is reserved/],
  [
    'syntax = "proto3"; import "nowhere.proto"; message A { nowhere.B b = 1; }',
    /^1:56: type "nowhere.B" is not defined or not imported; import "nowhere.proto" is not found: add a reference/,
  ],
  ['syntax = "proto3"; message A { int32 a = 1 [foo = 1]; }', /option "foo" is unknown$/],
  ['syntax = "proto3"; message A { int32 a = 1 [deprecated = 1]; }', /"deprecated" needs true or false$/],
  [
    'syntax = "proto3"; message A { int32 a = 1 [default = 1]; }',
    /proto3 does not support defaults of fields$/,
  ],
  ['message A { optional int32 a = 1 [default = "x"]; }', /"a" needs a number that fits int32$/],
  ['message A { optional E a = 1 [default = B]; } enum E { A1 = 1; }', /"a" needs a value of enum "E"$/],
  ['message A { optional int32 a = 1 [default = 1, default = 2]; }', /option "default" is set twice$/],
  [
    'edition = "2023"; message A { int32 a = 1 [features.utf8_validation = NONE]; }',
    /does not apply to the field$/,
  ],
  ['edition = "2023"; message A { option features.enum_type = OPEN; }', /is not allowed here$/],
  ['syntax = "proto3"; message A { oneof o { } }', /oneof "o" has no field$/],
  ['syntax = "proto3"; message A { extensions 4; }', /proto3 has no extension ranges$/],
  ['message A { } extend A { optional int32 a = 4; }', /has no extension range with the number 4/],
  ['message A { optional string s = 1 [default = "a }', /^1:46: unterminated string$/],
  ['/* open', /^1:1: unterminated comment$/],
  ['message A { optional int32 a = 1; } ?', /^1:37: expected a declaration, found "\?"$/],
];
