import { parseArgs } from 'node:util';
import { seededRandom, systemClock, systemRandom } from '@weir/core';
import { turnMsMax } from '@weir/core/testing';
import { type CostListener, sendTo } from './listener.ts';
import { apiListener } from './listeners/api.ts';
import { httpListener } from './listeners/http.ts';
import { kafkaListener } from './listeners/kafka.ts';
import { mcpListener } from './listeners/mcp.ts';
import { registryListener } from './listeners/registry.ts';
import { rpcListener } from './listeners/rpc.ts';
import { type Finding, searchCosts } from './search.ts';
import { ServedProcess } from './served-process.ts';

/**
 * Searches for requests that occupy a serving thread: `npm run fuzz:cost -- --listener http --minutes 10 --seed 7`.
 * Without a listener it takes all of them, and shares the minutes among them. A request above the limit fails the
 * run. `--limitMs` is for a machine that runs other work: processor time of a thread grows when others use its caches.
 */
const listeners: readonly CostListener[] = [
  httpListener,
  registryListener,
  kafkaListener,
  apiListener,
  mcpListener,
  rpcListener,
];

const { values } = parseArgs({
  options: {
    listener: { type: 'string' },
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string' },
    limitMs: { type: 'string', default: String(turnMsMax) },
  },
});
const seed = values.seed === undefined ? systemRandom.below(2 ** 31) : Number(values.seed);
const chosen = listeners.filter(({ name }) => values.listener === undefined || values.listener === name);
const limitMs = Number(values.limitMs);
if (chosen.length === 0 || !(Number(values.minutes) > 0) || !(limitMs > 0)) {
  const known = listeners.map(({ name }) => name).join(', ');
  throw new Error(`--listener is one of ${known}, and --minutes and --limitMs are positive numbers`);
}
const spanMs = (Number(values.minutes) * 60_000) / chosen.length;
process.stdout.write(`seed ${seed}\n`);
let tooMuch = 0;
for (const listener of chosen) {
  const { findings, answers } = await findingsOf(listener);
  for (const [index, finding] of findings.entries()) {
    // The worst ones are of interest, and all above the limit count.
    if (index < 5 || finding.ms > limitMs) report(listener, finding);
  }
  // What is refused costs nothing.
  for (const [input, counts] of answers)
    process.stdout.write(
      `${listener.name}: ${input}: ${Array.from(counts, ([answer, count]) => `${count} × ${answer}`).join(', ')}\n`,
    );
}
if (tooMuch > 0) process.stdout.write(`${tooMuch} requests occupy the serving thread for too long\n`);
process.exitCode = tooMuch > 0 ? 1 : 0;

/** By input, how often there was which answer. */
type Answers = Map<string, Map<string, number>>;

async function findingsOf(
  listener: CostListener,
): Promise<{ readonly findings: readonly Finding[]; readonly answers: Answers }> {
  const served = await ServedProcess.start();
  try {
    const { addresses } = served;
    await listener.prepare?.(addresses);
    const answers: Answers = new Map();
    const endMs = systemClock.monotonicMs() + spanMs;
    const findings = await searchCosts({
      seeds: listener.seeds(addresses),
      measure: (bytes, input) =>
        served.measure(async () => {
          const answer = await sendTo(listener, addresses, bytes);
          const counts = answers.get(input) ?? new Map<string, number>();
          answers.set(input, counts);
          counts.set(answer, (counts.get(answer) ?? 0) + 1);
        }),
      random: seededRandom(seed),
      isOver: () => systemClock.monotonicMs() >= endMs,
      bytesMax: listener.bytesMax,
    });
    return { findings, answers };
  } finally {
    await served.stop();
  }
}

function report({ name }: CostListener, finding: Finding): void {
  const { seed: input, sizes, bytes, ms } = finding;
  const isTooLong = ms > limitMs;
  if (isTooLong) tooMuch++;
  const verdict = isTooLong ? '  TOO LONG' : '';
  process.stdout.write(
    `${name}: ${input}: ${ms.toFixed(1)} ms for ${bytes} bytes ${JSON.stringify(sizes)}${verdict}\n`,
  );
}
