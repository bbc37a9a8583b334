import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bars, outcomesOf, type RunsBySide, rowNames } from './compare/bars.ts';
import { chartsOf } from './compare/charts.ts';
import { fullSizes, readCompareOptions } from './compare/compare-options.ts';
import { inTurns } from './compare/measure-rows.ts';
import { pageWith } from './compare/page.ts';
import { reasonFor, reasons } from './compare/reasons.ts';
import { barItem, barLine, figuresTable, resultsText, rowText, threadsTable } from './compare/report.ts';
import { type ResultsFile, type RowResults, withRow } from './compare/results-file.ts';
import { diskBytesMax, loadRows, startRow } from './compare/rows.ts';
import { comparedOf, type SideId, threadCounts } from './compare/side-names.ts';
import { ratioSpread, spreadOf } from './compare/spread.ts';
import { spreadText, svgOf } from './compare/svg.ts';
import { parseCores, planCores } from './compare/thread-rows.ts';
import { groupSeconds, threadGroupOf } from './compare/threads.ts';
import { parseConsumerOutput, parseProducerOutput } from './compare/tool-output.ts';
import { counterIn } from './kafka/prometheus.ts';

test('a spread has the median and the range of the runs that have the value', () => {
  assert.deepEqual(spreadOf([3, undefined, 1, 2]), { median: 2, min: 1, max: 3, runs: 3 });
  assert.equal(spreadOf([undefined]), undefined);
});

test('ratios are those of runs of the same turn', () => {
  // The machine runs at half speed in the second turn; the third turn has no peer.
  assert.deepEqual(ratioSpread([100, 50, 70], [50, 25, undefined]), { median: 2, min: 2, max: 2, runs: 2 });
  assert.deepEqual(ratioSpread([1, 2, 3], [1, 1, 0]), { median: 1.5, min: 1, max: 2, runs: 2 });
  assert.equal(ratioSpread([], [1]), undefined);
});

test('the summary of ProducerPerformance is its last line with percentiles', () => {
  const text = [
    '291361 records sent, 58272.2 records/sec (56.91 MB/sec), 3.2 ms avg latency, 151.0 ms max latency.',
    '600000 records sent, 58591.875000 records/sec (57.22 MB/sec), 2.35 ms avg latency, 151.00 ms max latency, 2 ms 50th, 4 ms 95th, 16 ms 99th, 51 ms 99.9th.',
    '',
  ].join('\n');
  assert.deepEqual(parseProducerOutput(text), {
    records: 600_000,
    recordsPerSecond: 58_591.875,
    averageMs: 2.35,
    maxMs: 151,
    p50Ms: 2,
    p99Ms: 16,
    p999Ms: 51,
  });
  const steady =
    '9 steady state records sent, 9.000000 records/sec (0.01 MB/sec), 1.00 ms avg latency, 2.00 ms max latency, 1 ms 50th, 2 ms 95th, 3 ms 99th, 4 ms 99.9th.';
  assert.equal(parseProducerOutput(`${text}${steady}\n`).records, 9);
  assert.throws(() => parseProducerOutput(text.split('\n')[0]!), /printed no summary/);
});

test('the columns of ConsumerPerformance are found by their names', () => {
  const text = [
    'start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec',
    '2026-11-16 07:00:00:000, 2026-11-16 07:00:05:000, 572.2, 114.4, 585938, 117187.6, 3200, 1800, 317.8, 325521.1',
    '',
  ].join('\n');
  assert.deepEqual(parseConsumerOutput(text), { records: 585_938, joinMs: 3200, fetchMs: 1800 });
  assert.throws(() => parseConsumerOutput('WARNING: nothing came'), /printed no summary/);
});

test('threads are grouped by their names, and those that ended are known from the total', () => {
  // name of the thread, group
  const cases: [name: string, group: string][] = [
    ['MainThread', 'main'],
    ['WorkerThread', 'workers'],
    ['libuv-worker', 'files'],
    ['V8Worker', 'V8 helpers'],
    ['DelayedTaskSche', 'V8 helpers'],
    ['GC Thread', 'GC'],
    ['G1 Conc', 'GC'],
    ['VM Thread', 'GC'],
    ['C2 CompilerThre', 'compiler'],
    ['data-plane-kafk', 'requests'],
    ['kafka-scheduler', 'other'],
  ];
  for (const [name, group] of cases) assert.equal(threadGroupOf(name), group, name);
  const before = new Map([
    ['MainThread', 1],
    ['libuv-worker', 5],
  ]);
  const after = new Map([
    ['MainThread', 3],
    ['libuv-worker', 5],
    ['V8Worker', 1],
  ]);
  assert.deepEqual(
    [...groupSeconds(before, after, 4)],
    [
      ['main', 2],
      ['V8 helpers', 1],
      ['other', 1],
    ],
  );
});

test('a counter is summed over its series, and names that only begin alike do not count', () => {
  const text = [
    '# TYPE files counter',
    'files{level="0"} 3',
    'files{level="1"} 4',
    'files_total{level="0"} 100',
    'plain 5',
  ].join('\n');
  assert.equal(counterIn(text, 'files'), 7);
  assert.equal(counterIn(text, 'files', 'level="1"'), 4);
  assert.equal(counterIn(text, 'plain'), 5);
  assert.equal(counterIn(text, 'missing'), 0);
});

const run = (cpuSecondsPerGb: number, peakMib: number) => ({
  values: { cpuSecondsPerGb, warmCpuSecondsPerGb: cpuSecondsPerGb, peakMib },
  threads: { main: cpuSecondsPerGb / 2 },
});
const runs: RunsBySide = {
  kafka: [run(4, 1200), run(3, 1200), run(5, 1200)],
  playground: [run(6, 400), run(6, 600), run(5, 500)],
  local: [run(2, 300), run(2, 300), run(2, 300)],
};
const row: RowResults = {
  name: 'steady',
  title: 'steady & <fast>',
  date: '2026-11-16',
  commit: 'abc',
  isQuick: false,
  isColdClient: false,
  runs,
};
const results: ResultsFile = { format: 2, machine: '2 cores', commit: 'abc', rows: [row] };

test('a bar applies to the median of the ratios, memory to the worst run; without a figure there is no outcome', () => {
  assert.deepEqual(outcomesOf('steady', runs).map(barLine), [
    'MISSED: Weir on disk, server CPU without compiler threads: 1.50 x (1–2), bar at most 1 x Kafka',
    'met: Weir in memory, server CPU without compiler threads: 0.50 x (0.40–0.67), bar at most 0.8 x Kafka',
    'MISSED: Weir on disk, peak memory of a run: 600 MiB (400–600), bar at most 512 MiB',
    'met: Weir in memory, peak memory of a run: 300 MiB (300–300), bar at most 512 MiB',
  ]);
  assert.deepEqual(outcomesOf('steady', { kafka: runs.kafka! }), []);
});

test('every bar belongs to a row and to sides that take part in it', () => {
  const rows = [startRow, ...loadRows];
  assert.deepEqual(
    rows.map(({ name }) => name),
    rowNames,
  );
  for (const { row: name, side, against, metric } of bars) {
    const sides = rows.find((other) => other.name === name)?.sides ?? [];
    assert.ok(
      sides.includes(side) && (against === undefined || sides.includes(against)),
      `${name} ${metric}`,
    );
  }
});

test('tables show every side, its range and the ratios', () => {
  assert.match(
    figuresTable(row),
    /^\| figure +\| Kafka +\| Weir on disk +\| Weir in memory +\| Weir on disk \/ Kafka/,
  );
  assert.match(figuresTable(row), /\| server CPU +\| 4 s\/GB \(3–5\) +\| 6 s\/GB \(5–6\)/);
  assert.match(threadsTable(row)!, /\| main +\| 2 s\/GB +\| 3 s\/GB +\| 1 s\/GB/);
  assert.match(resultsText(results), /Commit abc\. 2 of 4 bars met\. Rows that were not measured of this\s/);
  assert.equal(spreadText({ median: 3.314, min: 3, max: 12.34, runs: 2 }, 's'), '3.31 s (3–12.3)');
  assert.equal(spreadText({ median: 300, min: 300, max: 300, runs: 1 }, ''), '300');
});

test('a chart escapes text, scales bars to the largest run and follows light and dark', () => {
  const svg = svgOf(chartsOf(results)[0]!);
  assert.match(svg, /steady &amp; &lt;fast>/);
  assert.match(svg, /prefers-color-scheme: dark/);
  // The largest run of all is 6, so that this bar and its whisker end at the right edge of the plot.
  assert.match(svg, /<rect class="tone2" x="190" y="\d+" width="400" /);
  assert.match(svg, /x1="523.3" y1="[\d.]+" x2="590"/);
  const spread = { median: 10, min: 1, max: 100, runs: 3 };
  const logarithmic = svgOf({
    title: 'latency',
    unit: 'ms',
    isLogarithmic: true,
    groups: [{ label: 'p99', bars: [{ label: 'Kafka', tone: 0, spread }] }],
  });
  // From 0.1 to 100 there are three decades, and the median is after two of them.
  assert.match(logarithmic, /width="266.7"/);
});

test('a row replaces its older results in the order of the page; those of another machine are dropped', () => {
  const newer = { ...row, commit: 'def' };
  assert.deepEqual(withRow(results, '2 cores', newer).rows, [newer]);
  const other: RowResults = { ...row, name: 'start' };
  assert.deepEqual(withRow(results, '2 cores', other).rows, [other, row]);
  assert.deepEqual(withRow(results, '64 cores', other).rows, [other]);
  assert.deepEqual(withRow(undefined, '2 cores', row), results);
});

test('a row that failed says why, and leaves what was measured of the same commit', () => {
  const failed: RowResults = { ...row, runs: {}, notes: ['The row failed: no server.'] };
  assert.deepEqual(withRow(results, '2 cores', failed).rows, [row]);
  const later = { ...failed, commit: 'def' };
  assert.deepEqual(withRow(results, '2 cores', later).rows, [later]);
  const text = rowText(later, 'def');
  assert.match(text, /commit def: not measured\.\n\nNotes:\n\n- The row failed: no server\.\n/);
  assert.doesNotMatch(text, /figure/);
});

test('rows of another commit are marked, and neither count nor are drawn', () => {
  const two = withRow(results, '2 cores', { ...row, name: 'full-1', commit: 'def', title: 'full' });
  assert.equal(two.commit, 'def');
  const text = resultsText(two);
  assert.match(text, /Commit def\. 1 of 2 bars met\. Rows .*: start, steady, full-64,/s);
  assert.match(text, /\*\*Of another commit \(abc\) than the page: not comparable, not counted\.\*\*/);
  assert.equal(text.match(/peak memory of a run: /g)?.length, 2);
  assert.deepEqual(
    [...text.matchAll(/^\| ([\w-]+) +\| .* \| (met|MISSED) +\|$/gm)].map(([, name, met]) => `${name} ${met}`),
    ['full-1 MISSED', 'full-1 met'],
  );
  assert.deepEqual(
    chartsOf(two).flatMap(({ groups }) => groups.map(({ label }) => label)),
    ['full', 'full'],
  );
});

test('a missed bar has its reason and the next idea, or says that they are missing', () => {
  const reason = {
    rows: ['steady'],
    metrics: ['peakMib'],
    sides: ['playground'],
    because: 'of that.',
    next: 'this.',
  } as const;
  const missed = outcomesOf('steady', runs).filter(({ isMet }) => !isMet);
  assert.deepEqual(
    missed.map(({ bar }) => reasonFor(bar, [reason])?.because),
    [undefined, 'of that.'],
  );
  assert.match(barItem(missed[1]!, [reason]), / MiB\. Missed because of that\. Next: this\.$/);
  assert.match(barItem(missed[0]!, [reason]), /No reason is written down yet/);
});

test('every reason is about bars that exist', () => {
  for (const { rows, metrics, sides, because, next } of reasons) {
    assert.match(because, /\.$/);
    assert.match(next, /\.$/);
    for (const name of rows) {
      for (const metric of metrics) {
        const isBar = bars.some(
          (bar) => bar.row === name && bar.metric === metric && sides.includes(bar.side),
        );
        assert.ok(isBar, `${name} ${metric}`);
      }
    }
  }
});

test('a side that fails keeps its earlier runs and gets no more, and the others go on', async () => {
  const asked: string[] = [];
  const { runs: found, failures } = await inTurns(
    ['kafka', 'playground', 'local'],
    3,
    async (side, turn) => {
      asked.push(`${side} ${turn}`);
      if (side === 'playground' && turn === 1) throw new Error('the disk is full; it said:\nmore');
      return run(turn, 1);
    },
    () => {},
  );
  assert.equal(
    asked.join(', '),
    'kafka 0, playground 0, local 0, local 1, playground 1, kafka 1, kafka 2, local 2',
  );
  assert.deepEqual([found.kafka?.length, found.playground?.length, found.local?.length], [3, 1, 3]);
  assert.deepEqual(failures, ['Weir on disk failed in run 2 of 3: the disk is full.']);
});

test('counts of threads are measured where each thread has a core that clients leave alone', () => {
  const range = (length: number) => Array.from({ length }, (_, core) => core);
  // cores; those of clients, of servers, counts
  const cases: [cores: number[], clients: string, servers: string, shown: number[]][] = [
    [range(1), '0', '', []],
    [range(2), '0', '1', [1]],
    [range(3), '0', '1,2', [1, 2]],
    [[4, 5, 8, 9, 10], '4', '5,8,9,10', [1, 2, 4]],
    [range(8), '0,1', '2,3,4,5,6,7', [1, 2, 4]],
    [range(16), '0,1,2,3', '4,5,6,7,8,9,10,11,12,13,14,15', [1, 2, 4, 8]],
  ];
  for (const [cores, clients, servers, shown] of cases) {
    const plan = planCores(cores, threadCounts);
    assert.deepEqual([plan.clientCores, plan.serverCores, plan.shown], [clients, servers, shown]);
    assert.equal(plan.notes.length, 1 + threadCounts.length - shown.length);
  }
  assert.deepEqual(planCores(range(2), [1, 2]).notes, [
    'The machine has 2 cores. Clients run on core 0, servers on core 1.',
    '2 threads: not measured; it needs as many cores free of clients.',
  ]);
  assert.deepEqual(parseCores('0-2,5,8-9'), [0, 1, 2, 5, 8, 9]);
});

test('ratios refer to Kafka, to one thread, or to tansu', () => {
  // sides; whom they are compared with, who is
  const cases: [sides: SideId[], found: unknown][] = [
    [
      ['kafka', 'kafka-flush', 'playground', 'local', 'tansu'],
      ['kafka', 'playground', 'local'],
    ],
    [
      ['threads-1', 'threads-2', 'threads-4'],
      ['threads-1', 'threads-2', 'threads-4'],
    ],
    [
      ['tansu-s3', 'agent'],
      ['tansu-s3', 'agent'],
    ],
    [['agent'], undefined],
  ];
  for (const [sides, found] of cases) {
    const compared = comparedOf(sides);
    assert.deepEqual(compared && [compared.base, ...compared.compared], found);
  }
});

test('the page keeps the text around its marks', () => {
  const marks = ['<!-- results: written by npm run bench:kafka -->', '<!-- end of results -->'];
  const before = `before\n${marks.join('\nold\n')}\nwhy a bar is missed\n`;
  const page = pageWith(before, results);
  assert.match(page, /^before\n/);
  assert.match(page, /!\[Server CPU for each GB, without compiler threads\]\(benchmarks\/cpu\.svg\)/);
  assert.match(page, /why a bar is missed\n$/);
  assert.doesNotMatch(page, /old/);
  assert.equal(pageWith(page, results), page);
  assert.throws(() => pageWith('no marks', results), /has no marks/);
});

test('a command line of the comparison chooses rows and runs; an invalid one is refused with the reason', () => {
  // arguments; names of the rows, or the error
  const cases: [args: string, outcome: string | RegExp][] = [
    ['', rowNames.join(', ')],
    ['--quick', rowNames.join(', ')],
    ['--quick --rows full', 'full-1, full-64, light-full'],
    ['--rows full,mem', 'full-1, full-64, light-full, memory, threads-memory'],
    ['--rows nothing', /^no row has nothing in its name; there are start, /],
    ['--rows full,', /^--rows takes words with a comma between them$/],
    ['--runs 0', /^--runs takes a number from 1 to 99$/],
    ['--threads 1,3', /^--threads takes some of 1,2,4,8$/],
    ['--threads 1,,2', /^--threads takes/],
    ['--fast', /--fast/],
    ['--help', 'help'],
    ['--list', 'list'],
    ['--page', 'page'],
  ];
  for (const [args, outcome] of cases) {
    const options = readCompareOptions(args.split(' ').filter((arg) => arg !== ''));
    const found =
      typeof options === 'string'
        ? options
        : 'problem' in options
          ? options.problem
          : options.rows.join(', ');
    if (typeof outcome === 'string') assert.equal(found, outcome, args);
    else assert.match(found, outcome, args);
  }
});

test('the page is written by the full form, and by the quick one if wanted; a variable names tansu', () => {
  // arguments, the variable; whether the page is written, the counts of threads, tansu
  const cases: [args: string[], variable: string | undefined, found: unknown[]][] = [
    [[], undefined, [true, [1, 2, 4, 8], undefined]],
    [['--quick'], '/a', [false, [1, 2, 4, 8], '/a']],
    [['--quick', '--write', '--threads', '2,1'], '', [true, [1, 2], undefined]],
    [['--tansu', '/b'], '/a', [true, [1, 2, 4, 8], '/b']],
  ];
  for (const [args, TANSU, found] of cases) {
    const options = readCompareOptions(args, { TANSU });
    assert.ok(typeof options === 'object' && 'rows' in options);
    assert.deepEqual([options.writesPage, options.threads, options.tansu], found);
  }
});

test('the disk has to hold all rows of Weir twice, and the warm-up and the largest row of Kafka', () => {
  const sizes = {
    ...fullSizes,
    runs: 1,
    watchesGc: false,
    warmUpBytes: 2e9,
    warmUpBytesMax: 2e9,
    rowWarmUpsMax: 1,
    rowWarmUpRecords: 0,
    fullRecords: 1e6,
  };
  assert.equal(diskBytesMax([], sizes), 6e9);
  assert.equal(diskBytesMax(['full-1'], sizes), 6e9 + 3 * 1.024e9);
  assert.equal(diskBytesMax(['full-1', 'full-64'], sizes), 6e9 + 5 * 1.024e9);
  // Alone, the row about memory writes what is missing to 6 GB.
  assert.equal(diskBytesMax(['memory'], sizes), 6e9 + 3 * 4e9);
  // Servers of threads come when the others are gone.
  assert.equal(diskBytesMax(['threads-disk'], { ...sizes, lightFullBytes: 5e9 }), 4 * 5e9);
  assert.equal(diskBytesMax(['threads-disk', 'memory'], sizes), 6e9 + 3 * 4e9);
});
