import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Clock, formatBytes, parseBytes } from '@weir/core';
import type { RouteDefinition } from '@weir/http';
import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';
import {
  allocsDefinition,
  defaultSeconds,
  defaultSpeedTestBytes,
  heapDefinition,
  indexDefinition,
  pprofType,
  profileDefinition,
  speedTestDefinition,
  traceDefinition,
} from './debug-definitions.ts';
import { cpuIntervalUs, cpuProfile, heapIntervalBytes, heapProfile, type Span, trace } from './profiler.ts';
import { sendRandomBytes } from './speed-test.ts';
import { cpuPprof, heapPprof } from './v8-profiles.ts';

interface DebugInput {
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
  /** Aborted when the caller has left. */
  readonly closed: AbortSignal;
  readonly clock: Clock;
}

/** A definition, and how it is served. An `HttpProblem` is thrown before anything is sent. */
interface DebugRoute extends RouteDefinition {
  readonly operation: string;
  serve(input: DebugInput): Promise<void>;
}

const compressed = promisify(gzip);

export const debugRoutes: readonly DebugRoute[] = [
  { ...profileDefinition, serve: serveProfile },
  { ...heapDefinition, serve: (input) => serveHeap(input, 'inuse') },
  { ...allocsDefinition, serve: (input) => serveHeap(input, 'alloc') },
  { ...traceDefinition, serve: serveTrace },
  { ...speedTestDefinition, serve: serveSpeedTest },
  { ...indexDefinition, serve: serveIndex },
];

async function serveProfile(input: DebugInput): Promise<void> {
  const { query, clock } = input;
  const format = formatIn(query, 'cpuprofile');
  const span = spanOf(input, defaultSeconds.profile, gatewayLimits.debugProfileSecondsMax);
  const timeMs = clock.nowMs();
  const profile = await cpuProfile(span);
  if (format === 'pprof')
    await send(input, pprofType, 'profile.pb.gz', () =>
      compressed(cpuPprof(profile, cpuIntervalUs, { timeMs, durationMs: clock.nowMs() - timeMs })),
    );
  else await send(input, 'application/json', 'weir.cpuprofile', async () => JSON.stringify(profile));
}

async function serveHeap(input: DebugInput, kind: 'inuse' | 'alloc'): Promise<void> {
  const { query, clock } = input;
  const format = formatIn(query, 'heapprofile');
  const span = spanOf(input, defaultSeconds.heap, gatewayLimits.debugProfileSecondsMax);
  const timeMs = clock.nowMs();
  const profile = await heapProfile(kind, span);
  if (format === 'pprof')
    await send(input, pprofType, `${kind}.pb.gz`, () =>
      compressed(
        heapPprof(profile, kind, heapIntervalBytes[kind], { timeMs, durationMs: clock.nowMs() - timeMs }),
      ),
    );
  else await send(input, 'application/json', 'weir.heapprofile', async () => JSON.stringify(profile));
}

async function serveTrace(input: DebugInput): Promise<void> {
  const { response } = input;
  const span = spanOf(input, defaultSeconds.trace, gatewayLimits.debugTraceSecondsMax);
  let separator = '{"traceEvents":[\n';
  const write = (text: string) => {
    if (!response.headersSent) begin(response, 'application/json', 'trace.json');
    response.write(text);
  };
  await trace(span, (events) => {
    if (response.destroyed) return;
    for (const event of events) {
      write(separator + event);
      separator = ',\n';
    }
  });
  if (response.destroyed) return;
  write(separator.startsWith('{') ? `${separator}]}` : '\n]}');
  response.end();
}

async function serveSpeedTest({ query, response, clock }: DebugInput): Promise<void> {
  const given = query.get('size');
  const bytes = given === null ? defaultSpeedTestBytes : parseBytes(given);
  if (bytes === undefined || bytes > gatewayLimits.speedTestBytesMax)
    throw new HttpProblem(
      400,
      `size must be a number of bytes of at most ${formatBytes(gatewayLimits.speedTestBytesMax)}, such as 64MiB.`,
    );
  response.setHeader('cache-control', 'no-store');
  await sendRandomBytes(response, bytes, clock);
}

async function serveIndex(input: DebugInput): Promise<void> {
  const lines = debugRoutes.map(({ path, summary, parameters = {} }) => {
    const names = Object.keys(parameters).map((name) => `${name}=`);
    return `${path}${names.length === 0 ? '' : `?${names.join('&')}`}  ${summary}`;
  });
  await send(input, indexDefinition.answer.types[0], undefined, async () => `${lines.join('\n')}\n`);
}

function spanOf({ query, closed, clock }: DebugInput, absent: number, max: number): Span {
  const text = query.get('seconds');
  const seconds = text === null ? absent : /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= max)) throw new HttpProblem(400, `seconds must be a number from 0 to ${max}.`);
  return { ms: seconds * 1000, closed, clock };
}

function formatIn<Other extends string>(query: URLSearchParams, other: Other): 'pprof' | Other {
  const format = query.get('format') ?? 'pprof';
  if (format === 'pprof') return format;
  if (format === other) return other;
  throw new HttpProblem(400, `format must be pprof or ${other}.`);
}

/** Sends what is made, unless the caller has left. */
async function send(
  { response, closed }: DebugInput,
  type: string,
  file: string | undefined,
  make: () => Promise<string | Buffer>,
): Promise<void> {
  if (closed.aborted) return;
  const content = await make();
  if (closed.aborted) return;
  response.setHeader('content-length', Buffer.byteLength(content));
  begin(response, type, file);
  response.end(content);
}

function begin(response: ServerResponse, type: string, file: string | undefined): void {
  response.setHeader('content-type', type);
  response.setHeader('cache-control', 'no-store');
  if (file !== undefined) response.setHeader('content-disposition', `attachment; filename="${file}"`);
  response.writeHead(200);
}
