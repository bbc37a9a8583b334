import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildJava } from '../apache/build.ts';

const home = join(import.meta.dirname, '../../../bench/kafka/java');

/** Builds the class path of a server of Apache Kafka, of Maven. */
export function buildApacheKafka(): string {
  return buildJava(home);
}

/** Why there is no server of Apache Kafka on this machine, if so. */
export function missingApacheKafka(): string | false {
  if (spawnSync('java', ['-version']).status !== 0) return 'there is no Java';
  return existsSync(join(home, 'target', 'built-from')) ? false : 'run npm run test:pipelines-kafka once';
}

// Run by itself, it only builds.
if (import.meta.main) buildApacheKafka();
