import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MiB, systemClock } from '@weir/core';
import type { EventSource, EventTopic, RawPage, SidecarRef } from '../packages/events/src/event-source.ts';
import { parseFilter } from '../packages/events/src/filter/parse.ts';
import { QueryCache } from '../packages/events/src/query/cache.ts';
import type { SearchAnswer, SearchRequest } from '../packages/events/src/query/request.ts';
import { runQuery } from '../packages/events/src/query/run-query.ts';
import { buildSidecar } from '../packages/events/src/sidecar/build-sidecar.ts';
import { naiveSearch } from '../packages/events/testing/naive.ts';
import { atLeast, atMost, type Benchmark, type Row } from './benchmark.ts';

const dayMs = 86_400_000;
const startMs = 1_763_164_800_000;
const pageEvents = 1000;
const sidecarEvents = 1024 * 1024;
/** The naive scan runs over at most this many events, and its time is scaled linearly. */
const naiveEventsMax = 200_000;

/**
 * Searches a day of events on disk with the query engine and with a scan that parses everything, both on one core.
 * Events are generated, compressed page by page, and have sidecars.
 */
export const eventQueries: Benchmark = {
  name: 'event-queries',
  run: ({ turnMs }) => measure(turnMs === 0 ? 20_000 : 2_000_000),
};

async function measure(events: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-events-'));
  try {
    const log = await writeLog(folder, events);
    try {
      return await measureLog(log);
    } finally {
      await log.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

const selective = 'data.operation == "DELETE" and data.resource_name like "%-7777"';
const timelineOf: SearchRequest = {
  kind: 'search',
  types: ['acl_logs'],
  window: { startMs, endMs: startMs + dayMs },
  filter: parseFilter('data.log_level in ["warn", "error"]').filter!,
  order: 'desc',
  limit: 0,
  timeline: { aggregation: 'count', groupBy: { path: ['data', 'operation'] } },
};
const rowsOf: SearchRequest = { ...timelineOf, limit: 100, timeline: undefined };
const rareOf: SearchRequest = { ...rowsOf, filter: parseFilter(selective).filter! };

async function measureLog(log: EventLog): Promise<Row[]> {
  const { events } = log;
  const part = Math.min(events, naiveEventsMax);
  const memory = { peakBytes: 0 };
  const whole = watched(log.source({ events, hasSidecars: true }), memory);
  const timelineMs = await timeOf(() => run(timelineOf, whole));
  const cache = new QueryCache();
  const coldMs = await timeOf(() => run(rowsOf, whole, cache));
  const hotMs = await timeOf(() => run(rowsOf, whole, cache));
  await run(timelineOf, whole, cache);
  const knownMs = await timeOf(() => run(timelineOf, whole, cache));
  const slice = watched(log.source({ events: part, hasSidecars: false }), memory);
  await run(rareOf, slice);
  const peakMiB = Math.round(memory.peakBytes / MiB);
  // Both searches use the same records, without sidecars.
  const naiveMs = await timeOf(() => naiveSearch(rareOf, slice));
  const rawMs = await timeOf(() => run(rareOf, slice));
  const naiveTimelineMs = (await timeOf(() => naiveSearch(timelineOf, slice))) * (events / part);

  const rate = (ms: number, count: number) => `${Math.round(count / ms / 10) / 100} M events/s`;
  const perEvent = (bytes: number) => Math.round((bytes / events) * 10) / 10;
  const times = (value: number) => Math.round(value * 100) / 100;
  return [
    {
      what: 'events: rare rows from records / parse everything',
      result: times(naiveMs / rawMs),
      unit: 'x',
      bar: atLeast(3),
      detail: `${part} events, ${rate(rawMs, part)}, ${Math.round((log.bytes * (part / events)) / MiB / (rawMs / 1000))} MiB/s`,
    },
    {
      what: 'events: timeline by group from sidecars / parse everything',
      result: times(naiveTimelineMs / timelineMs),
      unit: 'x',
      bar: atLeast(30),
      detail: `${events} events, ${rate(timelineMs, events)}; parsing ${part} of them, scaled`,
    },
    {
      what: 'events: timeline by group from sidecars, ten million',
      result: times((timelineMs * 1e7) / events / 1000),
      unit: 's',
      bar: atMost(2),
      detail: `measured ${Math.round(timelineMs)} ms for ${events}; per event ${perEvent(log.bytes)} bytes of JSON, ${perEvent(log.storedBytes)} stored, ${perEvent(log.sidecarBytes)} of sidecars`,
    },
    {
      what: 'events: the same timeline again',
      result: times(knownMs),
      unit: 'ms',
      bar: atMost(150),
      detail: `${events} events`,
    },
    {
      what: 'events: the newest 100 rows of a day, cold',
      result: times(coldMs),
      unit: 'ms',
      bar: atMost(1000),
      detail: `${events} events`,
    },
    {
      what: 'events: the newest 100 rows of a day, hot',
      result: times(hotMs),
      unit: 'ms',
      bar: atMost(300),
      detail: `${events} events`,
    },
    {
      what: 'events: memory in use while queries run, at its highest',
      result: peakMiB,
      unit: 'MiB',
      bar: atMost(300),
      detail: 'heap with its garbage and buffers, whenever something was read',
    },
  ];
}

/** Samples the memory of the process on every read. */
function watched(source: EventSource, memory: { peakBytes: number }): EventSource {
  const sample = () => {
    const { heapUsed, external } = process.memoryUsage();
    memory.peakBytes = Math.max(memory.peakBytes, heapUsed + external);
  };
  return {
    ...source,
    async *read(...parameters) {
      for await (const page of source.read(...parameters)) {
        sample();
        yield page;
      }
    },
    readSidecar(...parameters) {
      sample();
      return source.readSidecar(...parameters);
    },
  };
}

async function run(request: SearchRequest, source: EventSource, cache?: QueryCache): Promise<SearchAnswer> {
  const { signal } = new AbortController();
  const answer = (await runQuery(request, source, { clock: systemClock, signal, cache })) as SearchAnswer;
  if (answer.partial !== undefined) throw new Error(`the answer is only a part: ${answer.partial}`);
  return answer;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const beganMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - beganMs;
}

interface StoredPage {
  readonly firstOffset: number;
  readonly start: number;
  readonly length: number;
  readonly maxTimeMs: number;
  readonly count: number;
}

interface EventLog {
  readonly events: number;
  /** Sizes of the records as JSON, of the records as stored, and of the sidecars. */
  readonly bytes: number;
  readonly storedBytes: number;
  readonly sidecarBytes: number;
  source(view: { readonly events: number; readonly hasSidecars: boolean }): EventSource;
  close(): Promise<void>;
}

async function writeLog(folder: string, events: number): Promise<EventLog> {
  const pages: StoredPage[] = [];
  const records = await open(join(folder, 'records'), 'w+');
  let [place, bytes] = [0, 0];
  for (let from = 0; from < events; from += pageEvents) {
    const count = Math.min(pageEvents, events - from);
    const { raw, columns, maxTimeMs } = generatePage(from, count, events);
    const stored = zstdCompressSync(raw, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    // Columns are written to disk in front of their records, because an index of ten million events would take most of
    // the memory.
    const page = Buffer.concat([...columns.map(({ buffer }) => Buffer.from(buffer)), stored]);
    await records.write(page);
    pages.push({ firstOffset: from, start: place, length: page.length, count, maxTimeMs });
    place += page.length;
    bytes += raw.length;
  }

  const topic: EventTopic = { type: 'acl_logs', topicId: 'acl_logs', startOffset: 0, endOffset: events };
  const sidecars: { readonly ref: SidecarRef; readonly file: FileHandle }[] = [];
  const { signal } = new AbortController();
  for (let fromOffset = 0; fromOffset < events; fromOffset += sidecarEvents) {
    const toOffset = Math.min(events, fromOffset + sidecarEvents);
    const id = `sidecar-${fromOffset}`;
    const file = await open(join(folder, id), 'w+');
    const write = async (piece: Uint8Array) => void (await file.write(piece));
    const built = await buildSidecar(readPages(fromOffset, toOffset), {
      fromOffset,
      toOffset,
      signal,
      write,
    });
    sidecars.push({ ref: { id, ...built! }, file });
  }

  return {
    events,
    bytes,
    storedBytes: place,
    sidecarBytes: sidecars.reduce((sum, { ref }) => sum + ref.byteLength, 0),
    source: ({ events: count, hasSidecars }) => ({
      latenessMsMax: 60_000,
      topics: async () => [{ ...topic, endOffset: count }],
      async offsetAt({ endOffset }, timeMs) {
        return pages.find(({ maxTimeMs }) => maxTimeMs >= timeMs)?.firstOffset ?? endOffset;
      },
      read: (_topic, from, to) => readPages(from, to),
      storedBytes: async (_topic, from, to) =>
        pages
          .filter(({ firstOffset, count: rows }) => firstOffset < to && firstOffset + rows > from)
          .reduce((sum, { length }) => sum + length, 0),
      sidecars: async () => (hasSidecars ? sidecars.map(({ ref }) => ref) : []),
      readSidecar: (ref, ranges) =>
        Promise.all(
          ranges.map(async ({ start, end }) => {
            const { file } = sidecars.find((one) => one.ref === ref)!;
            const part = new Uint8Array(end - start);
            await file.read(part, 0, part.length, start);
            return part;
          }),
        ),
    }),
    async close() {
      for (const { file } of sidecars) await file.close();
      await records.close();
    },
  };

  async function* readPages(from: number, to: number): AsyncGenerator<RawPage> {
    const first = Math.floor(from / pageEvents);
    for (let index = first; index < pages.length && pages[index]!.firstOffset < to; index++) {
      const { firstOffset, start, length, count } = pages[index]!;
      const stored = Buffer.from(new ArrayBuffer(length));
      await records.read(stored, 0, length, start);
      const { buffer } = stored;
      const valueEnds = new Uint32Array(buffer.slice(12 * count, 16 * count));
      const raw = zstdDecompressSync(stored.subarray(16 * count), { chunkSize: valueEnds.at(-1)! + 4096 });
      yield {
        firstOffset,
        timesMs: new Float64Array(buffer.slice(0, 8 * count)),
        valueStarts: new Uint32Array(buffer.slice(8 * count, 12 * count)),
        valueEnds,
        bytes: new Uint8Array(raw.buffer, raw.byteOffset, raw.length) as Uint8Array<ArrayBuffer>,
        storedBytes: length,
      };
    }
  }
}

const operations = ['READ', 'WRITE', 'CREATE', 'DESCRIBE', 'ALTER', 'DELETE'];
const levels = ['info', 'info', 'info', 'info', 'info', 'info', 'info', 'warn', 'warn', 'error'];

function generatePage(from: number, count: number, events: number) {
  const timesMs = new Float64Array(count);
  const texts: string[] = [];
  for (let index = 0; index < count; index++) {
    const n = from + index;
    const mix = Math.imul(n + 1, 0x9e3779b1) >>> 0;
    timesMs[index] = startMs + Math.floor((n / events) * dayMs);
    texts.push(eventText(n, mix, timesMs[index]!));
  }
  const raw = Buffer.from(texts.join('\n'), 'latin1');
  const valueStarts = new Uint32Array(count);
  const valueEnds = new Uint32Array(count);
  let place = 0;
  texts.forEach((text, index) => {
    valueStarts[index] = place;
    valueEnds[index] = place + text.length;
    place += text.length + 1;
  });
  return { raw, columns: [timesMs, valueStarts, valueEnds], maxTimeMs: timesMs.at(-1)! };
}

function eventText(n: number, mix: number, timeMs: number): string {
  const agent = `7c1d9b34-1f0e-4a7b-8a57-2f3f0a1f9f5${mix % 8}`;
  const operation = operations[mix % operations.length]!;
  const resource = `orders-${(mix >>> 3) % 10_000}`;
  const principal = `User:service-${(mix >>> 5) % 300}`;
  const cluster = 'vci_1fe67d2c_4ac4_4ce7_9b3e_6a0d6f0c3b1a';
  return (
    `{"specversion":"1.0","id":"0f6a4f3e-6d7c-4b0e-9c39-${n.toString(16).padStart(12, '0')}",` +
    `"source":"ws:agent:${cluster}:${agent}","type":"acl_logs","time":"${new Date(timeMs).toISOString()}",` +
    `"datacontenttype":"application/json","data":{"address":":9092","agent_id":"${agent}","correlation_id":${mix % 100_000},` +
    `"hostname_fqdn":"agent-${mix % 8}.internal","is_log":true,"kafka_api_key":${mix % 60},"kafka_api_key_name":"Produce",` +
    `"kafka_enabled":true,"log_level":"${levels[mix % levels.length]!}",` +
    `"message":"denied ${operation} on topic ${resource} to ${principal}","module":"acl","operation":"${operation}",` +
    `"principal":"${principal}","resource_name":"${resource}","resource_type":"TOPIC","virtual_cluster_id":"${cluster}",` +
    '"virtual_cluster_name":"orders"}}'
  );
}

/** `node bench/event-queries.ts --events 10000000` for another size. */
if (import.meta.main) {
  const { values } = parseArgs({ options: { events: { type: 'string', default: '10000000' } } });
  for (const { what, result, unit, bar, detail } of await measure(Number(values.events)))
    process.stdout.write(`${what}: ${result} ${unit} (${bar?.text ?? 'no bar'}); ${detail}\n`);
}
