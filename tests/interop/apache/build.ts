import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** JVM flags for short-lived programs: one collector thread and no second compiler, to leave the cores to others. */
export const shortLivedJava: readonly string[] = [
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Xshare:auto',
];

const lockTimeoutMs = 10 * 60_000;

/** Builds the Java program around Apache's classes and returns its class path. */
export function buildJavaClient(): string {
  return buildJava(import.meta.dirname);
}

/**
 * Builds the Maven project of a folder, whose pom copies its dependencies to `target/jars`, unless its sources are
 * unchanged since the last build. Returns the class path.
 */
export function buildJava(home: string): string {
  const target = join(home, 'target');
  const classes = join(target, 'classes');
  const jars = join(target, 'jars');
  // Holds the fingerprint of the sources of the current build.
  const stamp = join(target, 'built-from');
  mkdirSync(target, { recursive: true });
  alone(target, () => {
    const sources = fingerprint(home);
    if (readIfPresent(stamp) === sources) return;
    // A failed build must leave nothing that looks finished, and a new release of kafka-clients no old jar.
    for (const old of [stamp, classes, jars]) rmSync(old, { recursive: true, force: true });
    runMaven(home);
    writeFileSync(stamp, sources);
  });
  return [classes, join(jars, '*')].join(delimiter);
}

/**
 * Serializes builds: each test file runs in its own process and needs the classes at the same time, but neither
 * `target` nor Maven's cache supports concurrent builds. Uses a SQLite lock, because the system releases it when its
 * holder dies.
 */
function alone(target: string, work: () => void): void {
  const lock = new DatabaseSync(join(target, 'lock'), { timeout: lockTimeoutMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    work();
  } finally {
    lock.close();
  }
}

function fingerprint(home: string): string {
  const hash = createHash('sha256');
  for (const file of ['pom.xml', ...globSync('src/**/*.java', { cwd: home }).sort()]) {
    hash.update(`${file}\n`).update(readFileSync(join(home, file)));
  }
  return hash.digest('hex');
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** All versions are fixed, so Maven uses the network only for what its cache lacks. */
function runMaven(home: string): void {
  const { status, error, stdout, stderr } = spawnSync('mvn', ['-q', '-B', 'compile'], {
    cwd: home,
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`mvn compile ended with ${status}:\n${stdout}${stderr}`);
}
