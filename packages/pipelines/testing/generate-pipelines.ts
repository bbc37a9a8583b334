import { join } from 'node:path';
import type { Random } from '@weir/core';

/** Processors and the batches that go through them. */
export interface GeneratedPipeline {
  /** Each as YAML, which JSON is. */
  readonly processors: readonly string[];
  readonly resources: string;
  readonly batches: readonly (readonly string[])[];
}

type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

const resources = JSON.stringify({
  cache_resources: [{ label: 'known', memory: {} }],
  processor_resources: [{ label: 'shared', mapping: 'root.shared = this.id' }],
});

const documents = [
  '{"id":1,"kind":"a","items":[1,2,3]}',
  '{"id":2,"kind":"b","items":[]}',
  '{"id":3,"kind":"a","nested":{"x":"y"}}',
  '{"id":1,"kind":"c"}',
  'no json',
  '[{"id":7},{"id":8}]',
  '{"id":"text","kind":null}',
  '<a id="1"><b>2</b><b/>text</a>',
  '<a>1</a><c x=true>&amp;&none;</c>',
];

const mappings = [
  'root = this',
  'root.id = this.id',
  'root = this.without("kind")',
  'root = if this.kind == "a" { deleted() }',
  'root.sum = this.items.sum()',
  'meta kind = this.kind',
  'root = throw("no")',
  'root.batch = batch_index()',
  'root.failed = errored()',
  'root = content().uppercase()',
  'root.kind = @kind',
  'meta = deleted()',
];

const queries = ['.', '.id?', '.items[]?', 'empty', 'keys', '{a: .id?} | .b = 1', 'error("no")', '$metadata'];

const protobuf = { message: 'testing.Document', import_paths: [join(import.meta.dirname, 'schemas')] };

const parquetSchema = [
  { name: 'id', type: 'INT64', optional: true },
  { name: 'kind', type: 'UTF8' },
  { name: 'items', type: 'LIST', fields: [{ name: 'element', type: 'INT64' }] },
  { name: 'nested', type: 'STRUCT', optional: true, fields: [{ name: 'x', type: 'BYTE_ARRAY' }] },
];

const checks = [
  'this.kind == "a"',
  'this.id > 1',
  'errored()',
  'batch_index() == 0',
  'this.nested.x == "y"',
  'this.foo',
];

/** Makes pipelines of processors that depend on nothing outside. */
export function generatedPipeline(random: Random): GeneratedPipeline {
  const below = (count: number) => Math.floor(random.next() * count);
  const one = <T>(items: readonly T[]): T => items[below(items.length)]!;
  const some = <T>(countMax: number, make: () => T): T[] => Array.from({ length: 1 + below(countMax) }, make);
  const processors = (depth: number): Plain[] => some(2, () => processor(depth));

  function processor(depth: number): Plain {
    const makers = depth > 0 ? [...simple, ...nested] : simple;
    return one(makers)(depth);
  }

  const simple: readonly ((depth: number) => Plain)[] = [
    () => ({ mapping: one(mappings) }),
    () => ({ mapping: one(mappings) }),
    () => ({ mutation: one(mappings) }),
    () => ({ bloblang: one(mappings) }),
    () => ({ split: { size: 1 + below(3) } }),
    () => ({ select_parts: { parts: some(3, () => below(4) - 1) } }),
    () => ({ insert_part: { content: 'inserted', index: below(4) - 2 } }),
    () => ({
      bounds_check: { max_part_size: 10 + below(60), min_part_size: below(10), max_parts: 1 + below(4) },
    }),
    () => ({ group_by_value: { value: one([`\${! json("kind") }`, `\${! json("id") }`, 'x']) } }),
    () => ({ archive: { format: one(['lines', 'json_array', 'binary', 'concatenate']) } }),
    () => ({ unarchive: { format: one(['lines', 'json_array', 'json_documents', 'binary']) } }),
    () => {
      // Compressed bytes differ from one library to the next.
      const algorithm = one(['gzip', 'zlib', 'flate', 'snappy', 'lz4']);
      return { processors: [{ compress: { algorithm } }, { decompress: { algorithm } }] };
    },
    () => ({
      dedupe: {
        cache: 'known',
        key: `\${! content() }`,
        drop_on_err: one([true, false]),
      },
    }),
    () => ({ jmespath: { query: one(['id', '{a: id, b: kind}']) } }),
    () => ({ jq: { query: one(queries), output_raw: one([true, false]), raw: one([true, false, false]) } }),
    () => ({ processors: [{ msgpack: { operator: 'from_json' } }, { msgpack: { operator: 'to_json' } }] }),
    () => ({
      processors: [
        {
          parquet_encode: {
            schema: parquetSchema,
            default_compression: one(['uncompressed', 'zstd', 'snappy']),
          },
        },
        { parquet_decode: { use_parquet_list_format: false } },
      ],
    }),
    () => ({
      processors: [
        { protobuf: { ...protobuf, operator: 'from_json', discard_unknown: one([true, false]) } },
        { protobuf: { ...protobuf, operator: 'to_json', emit_unpopulated: one([true, false]) } },
        // Go's library writes spaces at random.
        { mapping: 'root = this' },
      ],
    }),
    () => ({ xml: { operator: 'to_json', cast: one([true, false]) } }),
    () => ({ unarchive: { format: one(['xml_documents_to_json', 'xml_documents_to_json:cast']) } }),
    () => ({ noop: {} }),
    () => ({ resource: 'shared' }),
    () => ({ json_schema: { schema: '{"type":"object","properties":{"id":{"type":"number"}}}' } }),
    () => ({ log: { message: 'seen', level: 'DEBUG' } }),
    () => ({ sleep: { duration: '1us' } }),
  ];

  const nested: readonly ((depth: number) => Plain)[] = [
    (depth) => ({ try: processors(depth - 1) }),
    (depth) => ({ catch: processors(depth - 1) }),
    (depth) => ({ for_each: processors(depth - 1) }),
    (depth) => ({ processors: processors(depth - 1) }),
    (depth) => ({ parallel: { processors: processors(depth - 1) } }),
    (depth) => ({
      // Bento drops messages that fall through the last case (ADR 0115).
      switch: [
        ...some(2, () => ({
          check: one([...checks, '']),
          processors: processors(depth - 1),
          fallthrough: one([false, false, true]),
        })),
        { check: one([...checks, '']), processors: processors(depth - 1) },
      ],
    }),
    (depth) => ({
      branch: {
        request_map: one([
          '',
          'root = this',
          'root.only = this.id',
          'root = if this.kind == "a" { deleted() }',
        ]),
        processors: processors(depth - 1),
        result_map: one(['', 'root.result = this', 'root = this']),
      },
    }),
    (depth) => ({ group_by: some(2, () => ({ check: one(checks), processors: processors(depth - 1) })) }),
    (depth) => ({
      while: { check: one(checks), max_loops: 1 + below(3), processors: processors(depth - 1) },
    }),
  ];

  return {
    processors: some(3, () => JSON.stringify(processor(2))),
    resources,
    batches: some(3, () => some(4, () => one(documents))),
  };
}
