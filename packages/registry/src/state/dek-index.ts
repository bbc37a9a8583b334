import type { DekAnswer } from '../registry-answers.ts';
import { type DekName, parseDekName } from './registry-entries.ts';

/** Data-encryption keys by KEK, then by subject and algorithm, then by version. */
export class DekIndex {
  readonly #deks = new Map<string, Map<string, Map<number, DekAnswer>>>();

  /** Sets or removes what an entry says. The name is what follows `dek/` in its key. */
  set(name: string, dek: DekAnswer | undefined): void {
    const { kekName, subject, algorithm, version } = parseDekName(name);
    const series = seriesName(subject, algorithm);
    if (dek !== undefined) {
      getOrAdd(getOrAdd(this.#deks, kekName), series).set(version, dek);
      return;
    }
    const ofKek = this.#deks.get(kekName);
    const versions = ofKek?.get(series);
    versions?.delete(version);
    if (versions?.size === 0) ofKek?.delete(series);
    if (ofKek?.size === 0) this.#deks.delete(kekName);
  }

  get({ kekName, subject, algorithm, version }: DekName): DekAnswer | undefined {
    return this.#deks.get(kekName)?.get(seriesName(subject, algorithm))?.get(version);
  }

  getByName(name: string): DekAnswer | undefined {
    return this.get(parseDekName(name));
  }

  /** Versions of a subject's key in order. */
  versions(kekName: string, subject: string, algorithm: string): DekAnswer[] {
    const versions = this.#deks.get(kekName)?.get(seriesName(subject, algorithm));
    return [...(versions?.values() ?? [])].sort((a, b) => a.version - b.version);
  }

  /** All keys of a KEK. */
  ofKek(kekName: string): DekAnswer[] {
    return [...(this.#deks.get(kekName)?.values() ?? [])].flatMap((versions) => [...versions.values()]);
  }
}

/** Algorithms have no slash. */
function seriesName(subject: string, algorithm: string): string {
  return `${algorithm}/${subject}`;
}

function getOrAdd<Key, InnerKey, Inner>(map: Map<Key, Map<InnerKey, Inner>>, key: Key): Map<InnerKey, Inner> {
  let inner = map.get(key);
  if (inner === undefined) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}
