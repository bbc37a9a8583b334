import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The newest releases on PyPI at the last update. Quix Streams depends on an older confluent-kafka. */
export const pythonPackages = {
  'confluent-kafka': { version: '2.16.1', module: 'confluent_kafka' },
  'kafka-python': { version: '3.0.12', module: 'kafka' },
  requests: { version: '2.34.2', module: 'requests' },
  pytest: { version: '9.2.0', module: 'pytest', requirements: ['pytest==9.2.0', 'confluent-kafka==2.16.1'] },
  quixstreams: { version: '3.28.1', module: 'quixstreams' },
  pyiceberg: {
    version: '0.12.0',
    module: 'pyiceberg.io.pyarrow',
    requirements: ['pyiceberg==0.12.0', 'pyarrow==26.0.1'],
  },
  chdb: { version: '4.4.0', module: 'chdb', isOnDemand: true },
  moto: {
    version: '5.2.5',
    module: 'moto.server',
    requirements: ['moto[glue,server]==5.2.5'],
    isOnDemand: true,
  },
  'confluent-kafka-serdes': {
    version: '2.16.1',
    module: 'confluent_kafka.schema_registry.protobuf',
    // The extras of the package name versions that not every index has yet.
    requirements: [
      'confluent-kafka==2.16.1',
      'attrs==26.1.0',
      'Authlib==1.9.5',
      'cachetools==8.0.0',
      'certifi==2026.10.18',
      'fastavro==1.13.1',
      'googleapis-common-protos==1.76.0',
      'httpx==0.28.1',
      'jsonschema==4.26.0',
      'orjson==3.13.0',
      'protobuf==7.36.2',
      'requests==2.34.2',
    ],
  },
} as const;

export type PythonPackage = keyof typeof pythonPackages;

export type PythonOf =
  | { readonly missing: false; readonly python: string }
  /** Why it is not available here, as the `skip` of a test. */
  | { readonly missing: string; readonly python?: undefined };

const cache = join(import.meta.dirname, '../../../node_modules/.cache/weir-python');

/**
 * Returns an interpreter with the package, in a virtual environment of its own beside the installed npm packages.
 *
 * Test files run in parallel, so an environment is built elsewhere and moved into place when it is complete.
 */
export function pythonWith(name: PythonPackage): PythonOf {
  const { version, module } = pythonPackages[name];
  const folder = join(cache, `${name}-${version}`);
  const python = pythonOf(name);
  const isInstalled = () => existsSync(python) && spawnSync(python, ['-c', `import ${module}`]).status === 0;
  if (isInstalled()) return { missing: false, python };

  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, 'new-'));
  try {
    const problem = install(made, requirementsOf(pythonPackages[name]) ?? [`${name}==${version}`]);
    if (problem !== undefined) return { missing: problem };
    takePlace(made, folder, isInstalled);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return isInstalled() ? { missing: false, python } : { missing: `${name} ${version} cannot be imported` };
}

/** What interop tests need; others are installed by the longer suites that want them. */
export function packagesOfInterop(): PythonPackage[] {
  return Object.entries(pythonPackages)
    .filter(([, row]) => !('isOnDemand' in row))
    .map(([name]) => name as PythonPackage);
}

function requirementsOf(row: object): readonly string[] | undefined {
  return 'requirements' in row ? (row.requirements as readonly string[]) : undefined;
}

/** Returns the interpreter with the package, after `pythonWith` has reported nothing missing. */
export function pythonOf(name: PythonPackage): string {
  return pythonIn(join(cache, `${name}-${pythonPackages[name].version}`));
}

function pythonIn(folder: string): string {
  return join(folder, 'bin/python');
}

function install(folder: string, requirements: readonly string[]): string | undefined {
  const options = { encoding: 'utf8', timeout: 180_000 } as const;
  const made = spawnSync('python3', ['-m', 'venv', folder], options);
  if (made.status !== 0) return `Python has no venv: ${lastLine(made)}`;
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
  const installed = spawnSync(pythonIn(folder), [...pip, ...requirements], options);
  return installed.status === 0
    ? undefined
    : `${requirements[0]} cannot be installed: ${lastLine(installed)}`;
}

/**
 * Moves the environment into place, unless another process was faster. An existing environment that does not work was
 * built for another Python.
 */
function takePlace(made: string, folder: string, isInstalled: () => boolean): void {
  if (isInstalled()) return;
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(made, folder);
  } catch (error) {
    if (!isInstalled()) throw error;
  }
}

function lastLine({ error, stderr }: { readonly error?: Error; readonly stderr: string | null }): string {
  return error?.message ?? (stderr ?? '').trim().split('\n').at(-1) ?? '';
}
