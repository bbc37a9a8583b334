import { formatBytes, MiB } from '@weir/core';
import type { RouteDefinition } from '@weir/http';
import { gatewayLimits } from '../limits.ts';

/** Definitions of the routes that show what an agent does. */

const { debugProfileSecondsMax, debugTraceSecondsMax, speedTestBytesMax } = gatewayLimits;

/** Seconds that a profile or trace takes if the request names none: as in programs in Go, where they have the same. */
export const defaultSeconds = { profile: 30, heap: 10, trace: 1 } as const;
export const defaultSpeedTestBytes = 100 * MiB;

export const pprofType = 'application/vnd.google.protobuf+gzip';

const debugging = {
  method: 'GET',
  access: 'debug',
  right:
    '`CLUSTER_ACTION` on the cluster. Without a login only programs on the machine of the agent are served.',
} as const;

const busy = 'Another profile is being taken; an agent takes one at a time.';

function seconds(absent: number, max: number) {
  return {
    in: 'query',
    schema: {
      type: 'number',
      minimum: 0,
      maximum: max,
      default: absent,
      description: 'How long to observe the agent.',
    },
  } as const;
}

function format(other: string, what: string) {
  return {
    in: 'query',
    schema: { type: 'string', enum: ['pprof', other], default: 'pprof', description: what },
  } as const;
}

export const indexDefinition = {
  ...debugging,
  id: 'debug_index',
  operation: 'debug_index',
  path: '/debug/pprof/',
  summary: 'Lists what can be observed.',
  answer: { types: ['text/plain; charset=utf-8'], description: 'One line for each.' },
  example: { target: '/debug/pprof/' },
} as const satisfies RouteDefinition;

export const profileDefinition = {
  ...debugging,
  id: 'debug_profile',
  operation: 'debug_profile',
  path: '/debug/pprof/profile',
  summary: 'A CPU profile of the serving thread, for `go tool pprof` or the developer tools of Chrome.',
  parameters: {
    seconds: seconds(defaultSeconds.profile, debugProfileSecondsMax),
    format: format('cpuprofile', '`cpuprofile` is JSON for the developer tools of Chrome.'),
  },
  answer: { types: [pprofType, 'application/json'], description: 'The profile, when the time is over.' },
  errors: { 409: busy },
  example: { target: '/debug/pprof/profile?seconds=5' },
} as const satisfies RouteDefinition;

const heapRoute = {
  ...debugging,
  parameters: {
    seconds: seconds(defaultSeconds.heap, debugProfileSecondsMax),
    format: format('heapprofile', '`heapprofile` is JSON for the developer tools of Chrome.'),
  },
  answer: { types: [pprofType, 'application/json'], description: 'The profile, when the time is over.' },
  errors: { 409: busy },
} as const;

export const heapDefinition = {
  ...heapRoute,
  id: 'debug_heap',
  operation: 'debug_heap',
  path: '/debug/pprof/heap',
  summary:
    'A sampled profile of the heap: what was allocated in this time and is in use at its end. V8 knows nothing of earlier allocations.',
  example: { target: '/debug/pprof/heap?seconds=5' },
} as const satisfies RouteDefinition;

export const allocsDefinition = {
  ...heapRoute,
  id: 'debug_allocs',
  operation: 'debug_allocs',
  path: '/debug/pprof/allocs',
  summary: 'A sampled profile of all that was allocated in this time, also if it is no longer in use.',
  example: { target: '/debug/pprof/allocs?seconds=5' },
} as const satisfies RouteDefinition;

export const traceDefinition = {
  ...debugging,
  id: 'debug_trace',
  operation: 'debug_trace',
  path: '/debug/pprof/trace',
  summary:
    'A trace of the runtime: garbage collections, work in other threads, and stacks, for Perfetto or the developer tools of Chrome.',
  parameters: { seconds: seconds(defaultSeconds.trace, debugTraceSecondsMax) },
  answer: {
    types: ['application/json'],
    schema: {
      type: 'object',
      properties: { traceEvents: { type: 'array', items: { type: 'object' } } },
      required: ['traceEvents'],
    },
    description: `Trace events of Chrome. A trace of more than ${formatBytes(gatewayLimits.debugTraceCharsMax)} ends early.`,
  },
  errors: { 409: busy },
  example: { target: '/debug/pprof/trace?seconds=5' },
} as const satisfies RouteDefinition;

export const speedTestDefinition = {
  ...debugging,
  id: 'debug_speedtest',
  operation: 'debug_speedtest',
  path: '/debug/speedtest/download',
  summary: 'Sends random bytes as fast as the caller reads them, to measure the way between both.',
  parameters: {
    size: {
      in: 'query',
      schema: {
        type: 'string',
        default: formatBytes(defaultSpeedTestBytes),
        description: `Bytes, such as \`1000000\` or \`64MiB\`; at most ${formatBytes(speedTestBytesMax)}.`,
      },
    },
  },
  answer: {
    types: ['application/octet-stream'],
    description: `The bytes. The response ends after ${gatewayLimits.speedTestMsMax / 1000} seconds.`,
  },
  errors: { 409: `${gatewayLimits.speedTestsMax} others are running.` },
  example: { target: '/debug/speedtest/download?size=64MiB' },
} as const satisfies RouteDefinition;
