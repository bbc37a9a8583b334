import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fullSizes, quickSizes } from './compare-options.ts';
import { type CpuProfile, summarize, summaryText } from './cpu-profile.ts';
import { Inspector } from './inspector.ts';
import { loadRows } from './rows.ts';
import { withWeir } from './weir-stage.ts';

/** Not for version control. */
const folder = join(import.meta.dirname, '../results');
const functionsShown = 30;
const samplingMicroseconds = 500;

/**
 * `npm run bench -- --profile <row>`: one run of a row against a warm Weir, with a CPU profile of each of its threads.
 * Returns an error message.
 */
export async function profileRow(argv: readonly string[]): Promise<string | undefined> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      profile: { type: 'string', default: '' },
      side: { type: 'string', default: 'playground' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { profile: name, side: id } = values;
  const row = loadRows.find((other) => other.name === name);
  if (row === undefined) {
    return `--profile takes a row: ${loadRows.map((other) => other.name).join(', ')}`;
  }
  if (id !== 'playground' && id !== 'local') return '--side takes playground or local';
  const sizes = values.quick ? quickSizes : fullSizes;
  await withWeir(id, sizes, async ({ load, print }, bench, side) => {
    const topic = `profile-${row.name}`;
    await load.createTopics(side.broker.servers, [topic], row.partitions);
    await row.prepare(bench, side, topic, sizes);
    await bench.settle();
    const inspector = await Inspector.attach(side.broker.processes[0]!);
    for (const { send } of inspector.threads) {
      await send('Profiler.enable');
      await send('Profiler.setSamplingInterval', { interval: samplingMicroseconds });
      await send('Profiler.start');
    }
    print(`${row.title}, ${inspector.threads.length} thread(s) …`);
    const record = await row.run(bench, side, topic, sizes, 0);
    mkdirSync(folder, { recursive: true });
    for (const { name: thread, send } of inspector.threads) {
      const { profile } = (await send('Profiler.stop')) as { profile?: CpuProfile };
      if (profile === undefined) continue;
      const file = join(folder, `${row.name}-${id}-${thread}.cpuprofile`);
      writeFileSync(file, JSON.stringify(profile));
      process.stdout.write(`\n${thread}, ${file}\n${summaryText(summarize(profile), functionsShown)}`);
    }
    inspector.close();
    const cpu = record.values.cpuSecondsPerGb;
    print(`with the profiler: ${cpu?.toFixed(2)} s/GB of CPU; measurements without it are lower`);
    await side.broker.stop();
  });
  return undefined;
}
