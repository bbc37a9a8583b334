import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuPprof, heapPprof } from './v8-profiles.ts';

/** A field of a message: a number, or the bytes of a text or a message. */
type Field = readonly [field: number, value: number | Buffer];

/** Reads protobuf, for this test only: what pprof makes of profiles is tested with pprof itself. */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    const isInteger = tag % 8 === 0;
    fields.push([Math.floor(tag / 8), isInteger ? value : bytes.subarray(at, at + value)]);
    if (!isInteger) at += value;
  }
  return fields;
}

function numbersOf(packed: Buffer): number[] {
  const values: number[] = [];
  let value = 0;
  let scale = 1;
  for (const byte of packed) {
    value += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    values.push(value);
    [value, scale] = [0, 1];
  }
  return values;
}

/** Each sample as `leaf:line<caller:line` and its values. */
function samplesIn(profile: Buffer): { readonly types: string[]; readonly samples: string[] } {
  const all = fieldsOf(profile);
  const of = (bytes: Buffer, wanted: number) => fieldsOf(bytes).find(([field]) => field === wanted)?.[1] ?? 0;
  const every = (wanted: number) =>
    all.filter(([field]) => field === wanted).map(([, value]) => value as Buffer);
  const strings = every(6).map(String);
  const names = new Map(every(5).map((entry) => [of(entry, 1), strings[of(entry, 2) as number]]));
  const lines = new Map(
    every(4).map((entry) => {
      const line = of(entry, 4) as Buffer;
      return [of(entry, 1) as number, `${names.get(of(line, 1))}:${of(line, 2)}`];
    }),
  );
  return {
    types: every(1).map((entry) => `${strings[of(entry, 1) as number]}/${strings[of(entry, 2) as number]}`),
    samples: every(2).map((entry) => {
      const stack = numbersOf(of(entry, 1) as Buffer).map((id) => lines.get(id));
      return `${stack.join('<')} ${numbersOf(of(entry, 2) as Buffer).join(' ')}`;
    }),
  };
}

const frame = (functionName: string, lineNumber: number) => ({
  functionName,
  scriptId: '1',
  url: 'file:///weir/agent.ts',
  lineNumber,
  columnNumber: 0,
});

const taken = { timeMs: 1_767_225_600_000, durationMs: 100 };

test('a CPU profile has each stack with its samples and its time, without idle time', () => {
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)', -1), children: [2, 4, 5] },
      { id: 2, callFrame: frame('serve', 9), children: [3] },
      { id: 3, callFrame: frame('', 299) },
      { id: 4, callFrame: frame('(idle)', -1) },
      { id: 5, callFrame: frame('(garbage collector)', -1) },
    ],
    startTime: 1000,
    endTime: 61_000,
    samples: [3, 4, 3, 2, 5],
    timeDeltas: [10_000, 10_000, 10_000, 10_000, 10_000],
  };
  assert.deepEqual(samplesIn(cpuPprof(profile, 10_000, taken)), {
    types: ['samples/count', 'cpu/nanoseconds'],
    samples: [
      '(anonymous):300<serve:10 2 20000000',
      'serve:10 1 10000000',
      '(garbage collector):0 1 10000000',
    ],
  });
});

test('a heap profile has each stack with its bytes', () => {
  const leaf = { callFrame: frame('decode', 41), selfSize: 3 * 2 ** 40, children: [] };
  const caller = { callFrame: frame('serve', 9), selfSize: 0, children: [leaf] };
  const other = { callFrame: frame('(BYTECODE_COMPILER)', -1), selfSize: 512, children: [] };
  const head = { callFrame: frame('(root)', -1), selfSize: 7, children: [caller, other] };
  const { types, samples } = samplesIn(heapPprof({ head }, 'inuse', 512 * 1024, taken));
  assert.deepEqual(types, ['inuse_space/bytes']);
  assert.deepEqual(samples.toSorted(), ['(BYTECODE_COMPILER):0 512', `decode:42<serve:10 ${3 * 2 ** 40}`]);
});
