import { formatTime, rfc3339Nano } from '../go/time-layout.ts';
import { utcZone } from '../go/zones.ts';
import type { Ports } from '../runtime/ports.ts';
import { type FunctionSpec, param, withDefault } from '../runtime/spec.ts';
import { fail } from '../values/mapping-error.ts';
import { parseJson } from '../values/parse-json.ts';
import { Bytes, Timestamp, type Value } from '../values/value.ts';

const category = 'environment';

const noCache = withDefault(param.bool('no_cache'), false);

function fileOf(ports: Ports, path: string): Buffer {
  if (ports.readFile === undefined) return fail('files cannot be read in this context');
  try {
    return ports.readFile(path);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const file: FunctionSpec['make'] = (args) => {
  const path = args.string('path');
  return ({ run: { ports, budget } }) => {
    const bytes = fileOf(ports, path);
    budget.build(bytes.length);
    return new Bytes(bytes);
  };
};

/** The time since 1970 in a unit of so many to the millisecond. */
function unixTime(suffix: string, doc: string, scale: number): FunctionSpec {
  return {
    name: `timestamp_unix${suffix}`,
    category,
    doc: `Yields the ${doc} since 1970.`,
    needs: 'environment',
    params: [],
    make:
      () =>
      ({ run }) => {
        const value = Math.floor(run.ports.clock.nowMs() * scale);
        return Number.isSafeInteger(value)
          ? value
          : BigInt(Math.floor(run.ports.clock.nowMs())) * BigInt(scale);
      },
  };
}

type CacheCall = (
  cache: NonNullable<ReturnType<NonNullable<Ports['cache']>>>,
  key: string,
  value: string,
) => Value;

function cacheFunction(name: string, doc: string, hasValue: boolean, call: CacheCall): FunctionSpec {
  const params = [
    param.string('resource'),
    param.string('key'),
    ...(hasValue ? [param.string('value')] : []),
  ];
  return {
    name,
    category,
    doc,
    status: 'experimental',
    needs: 'environment',
    params,
    make: (args) => {
      const [resource, key] = [args.string('resource'), args.string('key')];
      const value = hasValue ? args.string('value') : '';
      return ({ run: { ports } }) => {
        const cache = ports.cache?.(resource) ?? fail(`cache resource '${resource}' was not found`);
        return call(cache, key, value);
      };
    },
  };
}

export const environmentFunctions: readonly FunctionSpec[] = [
  {
    name: 'env',
    category,
    doc: 'Yields a variable of the environment that mappings may read, or null.',
    needs: 'environment',
    params: [param.string('name'), noCache],
    make: (args) => {
      const name = args.string('name');
      return ({ run: { ports } }) =>
        ports.environment === undefined
          ? fail('the environment cannot be read in this context')
          : (ports.environment(name) ?? null);
    },
  },
  {
    name: 'hostname',
    category,
    doc: 'Yields the name of the machine.',
    needs: 'environment',
    params: [],
    make:
      () =>
      ({ run: { ports } }) =>
        ports.hostName ?? fail('the host name is not known in this context'),
  },
  {
    name: 'file',
    category,
    doc: 'Yields the bytes of a file.',
    needs: 'environment',
    params: [param.string('path'), noCache],
    make: file,
  },
  {
    name: 'file_rel',
    category,
    doc: 'Yields the bytes of a file beside the mapping.',
    needs: 'environment',
    params: [param.string('path'), noCache],
    make: file,
  },
  {
    name: 'file_rel_json',
    category,
    doc: 'Yields the JSON document of a file beside the mapping.',
    needs: 'environment',
    params: [param.string('path')],
    make: (args) => {
      const path = args.string('path');
      return ({ run: { ports } }) =>
        parseJson(fileOf(ports, path).toString('utf8'), (why) => `failed to parse file as JSON: ${why}`);
    },
  },
  {
    name: 'now',
    category,
    doc: 'Yields the time as a text of RFC 3339 in UTC.',
    needs: 'environment',
    params: [],
    make:
      () =>
      ({ run }) => {
        const nowMs = run.ports.clock.nowMs();
        const seconds = Math.floor(nowMs / 1000);
        return formatTime(
          new Timestamp(seconds, Math.floor((nowMs - seconds * 1000) * 1e6), utcZone),
          rfc3339Nano,
        );
      },
  },
  unixTime('', 'seconds', 1 / 1000),
  unixTime('_milli', 'milliseconds', 1),
  unixTime('_micro', 'microseconds', 1000),
  unixTime('_nano', 'nanoseconds', 1_000_000),
  cacheFunction(
    'cache_get',
    'Yields a value of a cache.',
    false,
    (cache, key) => new Bytes(cache.get(key) ?? fail('key does not exist')),
  ),
  cacheFunction('cache_set', 'Sets a value of a cache.', true, (cache, key, value) => {
    cache.set(key, Buffer.from(value));
    return null;
  }),
  cacheFunction(
    'cache_add',
    'Adds a value to a cache; fails if the key is there.',
    true,
    (cache, key, value) => (cache.add(key, Buffer.from(value)) ? null : fail('key already exists')),
  ),
  cacheFunction('cache_delete', 'Removes a value of a cache.', false, (cache, key) => {
    cache.delete(key);
    return null;
  }),
];
