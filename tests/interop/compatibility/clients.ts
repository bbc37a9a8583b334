import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goModuleVersion } from '../go/versions.ts';
import { pythonPackages } from '../python/venv.ts';

/** A third-party client and the tests that cover it. */
export interface TestedClient {
  readonly name: string;
  readonly language: string;
  readonly version: string;
  /** Test files in tests/interop. */
  readonly files: readonly string[];
  /** Which of their tests cover this client; all by default. */
  readonly only?: RegExp;
}

const folder = join(import.meta.dirname, '..');
const { devDependencies: packages } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Returns the version of Apache's clients, from the build file of the Java programs. */
function apacheVersion(): string {
  const pom = readFileSync(join(folder, 'apache/pom.xml'), 'utf8');
  const version = /<artifactId>kafka-clients<\/artifactId>\s*<version>([^<$]+)<\/version>/.exec(pom)?.[1];
  if (version === undefined) throw new Error('apache/pom.xml names no version of kafka-clients');
  return version;
}

export const testedClients: readonly TestedClient[] = [
  {
    name: 'kafka-clients',
    language: 'Java',
    version: apacheVersion(),
    files: ['brokers/apache.test.ts', 'brokers/transactions.test.ts'],
    only: /^Apache/,
  },
  {
    name: 'confluent-kafka',
    language: 'Python, over librdkafka',
    version: pythonPackages['confluent-kafka'].version,
    files: ['python/confluent-kafka.test.ts'],
  },
  {
    name: 'kafka-python',
    language: 'Python',
    version: pythonPackages['kafka-python'].version,
    files: ['python/kafka-python.test.ts'],
  },
  {
    name: 'quixstreams',
    language: 'Python',
    version: pythonPackages.quixstreams.version,
    files: ['python/quixstreams.test.ts'],
  },
  {
    name: 'franz-go',
    language: 'Go',
    version: goModuleVersion('github.com/twmb/franz-go'),
    files: ['go/franz-go.test.ts', 'go/franz-go-suite.test.ts'],
  },
  {
    name: 'sarama',
    language: 'Go',
    version: goModuleVersion('github.com/IBM/sarama'),
    files: ['go/sarama.test.ts'],
  },
  {
    name: 'kafka-go',
    language: 'Go',
    version: goModuleVersion('github.com/segmentio/kafka-go'),
    files: ['go/kafka-go.test.ts'],
  },
  {
    name: 'kafkajs',
    language: 'JavaScript',
    version: packages.kafkajs!,
    files: ['brokers/kafkajs.test.ts', 'agent/kafkajs-admin.test.ts'],
  },
  {
    name: '@platformatic/kafka',
    language: 'TypeScript',
    version: packages['@platformatic/kafka']!,
    files: ['brokers/platformatic.test.ts', 'agent/platformatic-admin.test.ts'],
  },
];

/** Clients that cannot be tested, each with the reason. */
export const untestedClients: Readonly<Record<string, string>> = {
  '@confluentinc/kafka-javascript':
    'its installation loads a compiled module from outside of the npm registry, or compiles librdkafka; librdkafka is tried through confluent-kafka',
  'Cruise Control, and the operators of Strimzi':
    "their programs are not on Maven Central; the calls that they make by Apache's admin client are made by `tests/interop/applications/operators.test.ts`",
};
