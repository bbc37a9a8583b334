import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Collected, runPipeline, testServices } from '../../testing/run-pipeline.ts';

const made = (text: string, count: number, interval = '') =>
  `generate: {mapping: 'root = "${text}"', interval: "${interval}", count: ${count}}`;

interface Case {
  readonly what: string;
  readonly input: string;
  /** The texts of each batch. */
  readonly expected: readonly string[];
}

const cases: readonly Case[] = [
  { what: 'generate counts messages', input: made('a', 3), expected: ['a', 'a', 'a'] },
  {
    what: 'generate makes batches, and the last is smaller',
    input: 'generate: {mapping: root = counter(), interval: "", count: 5, batch_size: 2}',
    expected: ['12', '34', '5'],
  },
  {
    what: 'generate counts no messages that its mapping deletes',
    input: `generate: {mapping: 'root = if counter() % 2 == 0 { deleted() } else { "x" }', interval: "", count: 2}`,
    expected: ['x', 'x'],
  },
  {
    what: 'broker reads from all',
    input: `broker: {inputs: [{${made('a', 2, '2s')}}, {${made('b', 2, '3s')}}]}`,
    expected: ['a', 'b', 'a', 'b'],
  },
  {
    what: 'broker with copies and batching',
    input: `broker: {copies: 3, inputs: [{${made('a', 1)}}], batching: {count: 2}}`,
    expected: ['aa', 'a'],
  },
  {
    what: 'sequence reads one after the other',
    input: `sequence: {inputs: [{${made('a', 2, '1s')}}, {${made('b', 1)}}, {${made('c', 0.5 * 2)}}]}`,
    expected: ['a', 'a', 'b', 'c'],
  },
  {
    what: 'batched by count',
    input: `batched: {child: {${made('a', 5)}}, policy: {count: 2}}`,
    expected: ['aa', 'aa', 'a'],
  },
  {
    what: 'batched by period',
    input: `batched: {child: {${made('a', 5, '1s')}}, policy: {period: 2500ms}}`,
    expected: ['aaa', 'aa'],
  },
  {
    what: 'batched by a check, which may fail',
    input:
      'batched: {child: {generate: {mapping: root = counter(), interval: "", count: 5}}, policy: {check: this.number() % 3 == 0 || this.x.y}}',
    expected: ['123', '45'],
  },
  {
    what: 'batched with processors',
    input: `batched: {child: {generate: {mapping: root = counter(), interval: "", count: 4}}, policy: {count: 2, processors: [{mapping: root = content().string() + "!"}]}}`,
    expected: ['1!2!', '3!4!'],
  },
  {
    what: 'read_until a message',
    input: 'read_until: {check: this == 3, input: {generate: {mapping: root = counter(), interval: ""}}}',
    expected: ['1', '2', '3'],
  },
  {
    what: 'read_until none came for a while',
    input: `read_until: {idle_timeout: 5s, input: {${made('a', 9, '@every 1h')}}}`,
    expected: [],
  },
  {
    what: 'read_until opens the input again',
    input:
      'read_until: {restart_input: true, check: count("all") == 5, input: {generate: {mapping: root = counter(), interval: "", count: 2}}}',
    expected: ['1', '2', '3', '4', '5'],
  },
  {
    what: 'a resource',
    input: `resource: shared\ninput_resources: [{label: shared, ${made('a', 2)}}]`,
    expected: ['a', 'a'],
  },
  {
    what: 'processors of an input',
    input: `${made('a', 2)}\n  processors: [{mapping: 'root = content().string() + "!"'}]`,
    expected: ['a!', 'a!'],
  },
];

for (const { what, input, expected } of cases)
  test(what, async () => {
    const clock = new HandClock();
    const collected = new Collected();
    // An output that fails at first: inputs end when all is written.
    collected.fail = (_, attempt) => {
      if (attempt === 1 && what.startsWith('sequence')) throw new Error('down');
    };
    const running = runPipeline(`input:\n  ${input}\noutput: {collect: {}}\n`, {
      collected,
      services: { ...testServices(), clock },
    });
    await clock.until(running);
    assert.deepEqual(
      collected.batches.map((batch) => batch.map(({ content }) => content.toString()).join('')),
      expected,
    );
  });

test('the last message of read_until is marked', async () => {
  const { batches } = await runPipeline(`
input:
  read_until: {check: this == 2, input: {generate: {mapping: root = counter(), interval: ""}}}
output: {collect: {}}
`);
  assert.deepEqual(
    batches.flat().map(({ metadata }) => metadata.get('bento_read_until')),
    [undefined, 'final'],
  );
});

test('generate follows a schedule', async () => {
  const clock = new HandClock(Date.parse('2026-03-01T10:20:30Z'));
  const running = runPipeline(
    `input: {generate: {mapping: root = now(), interval: '0 4 * * *', count: 2}}\noutput: {collect: {}}\n`,
    { services: { ...testServices(), clock, mappingPorts: { ...testServices().mappingPorts, clock } } },
  );
  const { texts } = await clock.until(running);
  assert.deepEqual(
    texts.map((text) => text.slice(0, 16)),
    ['2026-03-02T04:00', '2026-03-03T04:00'],
  );
});

test('what goes through inproc is written when it was read at the other end', async () => {
  const stop = new AbortController();
  const end = new Collected('end');
  end.fail = (_, attempt) => {
    if (attempt === 1) throw new Error('down');
    if (attempt === 4) queueMicrotask(() => stop.abort());
  };
  await runPipeline(
    `
input:
  broker:
    inputs:
      - generate: {mapping: root = counter(), interval: "", count: 3}
        processors: [{mapping: meta from = "first"}]
      - inproc: loop
output:
  switch:
    cases:
      - check: meta("from") == "first"
        output: {inproc: loop, processors: [{mapping: meta from = deleted()}]}
      - output: {end: {}}
`,
    { specs: [end.spec], stop: stop.signal },
  );
  assert.deepEqual(end.texts.toSorted(), ['1', '2', '3']);
});

test('files are read in order, and deleted when all their messages were written', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'file-input-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'b.txt'), 'b1\nb2');
  await writeFile(join(folder, 'a.txt'), 'a1\n\na2\n');
  await writeFile(join(folder, 'c.log'), 'no');
  const collected = new Collected();
  const stored: string[][] = [];
  collected.fail = async (_, attempt) => {
    stored.push((await readdir(folder)).toSorted());
    if (attempt === 1) throw new Error('down');
  };
  await runPipeline(
    `
input:
  file: {paths: ['${folder}/*.txt'], delete_on_finish: true, scanner: {lines: {omit_empty: true}}}
pipeline: {threads: 1}
output: {collect: {}}
`,
    { collected },
  );
  assert.deepEqual(collected.texts.toSorted(), ['a1', 'a2', 'b1', 'b2']);
  assert.equal(collected.batches.flat()[0]!.metadata.get('path'), join(folder, 'a.txt'));
  assert.ok(stored[0]!.includes('a.txt'));
  assert.deepEqual(await readdir(folder), ['c.log']);
});

test('standard input is read, and standard output written', async () => {
  const written: Buffer[] = [];
  const standardStreams = {
    input: (async function* () {
      yield Buffer.from('one\ntw');
      yield Buffer.from('o\nthree');
    })(),
    write: async (bytes: Buffer) => {
      written.push(bytes);
    },
  };
  await runPipeline('input: {stdin: {}}\noutput: {stdout: {codec: "delim:--"}}\n', {
    services: { ...testServices(), standardStreams },
  });
  assert.equal(Buffer.concat(written).toString(), 'one--two--three--');
});
