import { parseArgs } from 'node:util';
import { nextTurn, seededRandom, systemClock, systemRandom } from '@weir/core';
import { DecodeError } from '../src/decode-error.ts';
import { messageSamples, recordSamples, type Sample } from './corpus.ts';
import { mutate } from './mutate.ts';
import { read } from './targets.ts';

/**
 * Decodes mutated frames: `npm run fuzz -- --frames 1000000 --seed 7`. Invalid bytes may cause a `DecodeError` and
 * nothing else. A defect ends the run with the seed and the bytes that show it.
 */
const { values } = parseArgs({
  options: { frames: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const frameCount = Number(values.frames);
const seed = values.seed === undefined ? systemRandom.below(2 ** 31) : Number(values.seed);
const random = seededRandom(seed);
// Stack traces cost more than decoding.
Error.stackTraceLimit = 0;

const messages = messageSamples(seed);
const records = recordSamples();
/** How often decoded values are also encoded and decoded again, and how often memory is measured, in frames. */
const thoroughEvery = 64;
const memoryEvery = 4096;
/** Decompressing costs far more than decoding, so batches are the smaller part. */
const recordsShare = 0.1;

let accepted = 0;
let refused = 0;
let slowestMs = 0;
let peakBytes = 0;
const startMs = systemClock.monotonicMs();

function pick(samples: readonly Sample[]): Sample {
  return samples[random.below(samples.length)]!;
}

for (let index = 0; index < frameCount; index++) {
  const samples = random.next() < recordsShare ? records : messages;
  const sample = pick(samples);
  const bytes = mutate(sample.bytes, pick(samples).bytes, random);
  const original = Buffer.from(bytes);
  const beganMs = systemClock.monotonicMs();
  try {
    read(sample, bytes, index % thoroughEvery === 0);
    accepted++;
  } catch (error) {
    if (!(error instanceof DecodeError)) report(error, index, sample, original);
    refused++;
  }
  slowestMs = Math.max(slowestMs, systemClock.monotonicMs() - beganMs);
  if (index % memoryEvery === 0) {
    // The streams behind failed decompressions are freed when the event loop runs.
    await nextTurn(systemClock);
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }
}

function report(error: unknown, index: number, sample: Sample, bytes: Buffer): never {
  process.stdout.write(
    `Frame ${index} of seed ${seed} (${sample.kind}) threw ${String(error)}\n${bytes.toString('hex')}\n`,
  );
  process.exit(1);
}

const seconds = (systemClock.monotonicMs() - startMs) / 1000;
process.stdout.write(
  `${frameCount} mutated frames of ${messages.length + records.length} samples, seed ${seed}, in ${seconds.toFixed(1)} s: ` +
    `${refused} refused, ${accepted} accepted, slowest ${slowestMs.toFixed(1)} ms, ` +
    `memory at most ${Math.ceil(peakBytes / 2 ** 20)} MiB\n`,
);
