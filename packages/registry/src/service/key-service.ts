import type { Clock } from '@weir/core';
import { registryLimits } from '../limits.ts';
import type { DekAnswer, KekAnswer } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { withoutUndefined } from '../state/metadata.ts';
import { normalSubject, parseSubject, referencedSubject } from '../state/qualified-subject.ts';
import { entryKeys, put, remove } from '../state/registry-entries.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { page } from './answer-parts.ts';
import { invalid, readAlgorithm, readDekBody, readKekBody, readKekUpdate } from './key-bodies.ts';
import type { ServingTime } from './progress.ts';
import type {
  DekQuery,
  DeleteDekQuery,
  DeleteQuery,
  ListDeksQuery,
  ListKeksQuery,
} from './registry-queries.ts';
import { isSubject } from './scopes.ts';
import { readFresh, writeFresh } from './store-access.ts';
import { isPrefixOf, parseVersion } from './subject-queries.ts';

interface KeyServiceOptions {
  readonly store: RegistryStore;
  readonly clock: Clock;
  readonly time: ServingTime;
}

/** `/dek-registry/v1/keks`: the keys for the encryption of fields. They are stored and returned, never used. */
export class KeyService {
  readonly #store: RegistryStore;
  readonly #clock: Clock;
  readonly #time: ServingTime;

  constructor({ store, clock, time }: KeyServiceOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#time = time;
  }

  /** `GET /keks` */
  async listKeks(query: ListKeksQuery = {}): Promise<string[]> {
    const { subjectPrefixes = [] } = query;
    const names: string[] = [];
    for (const { name, deleted } of [...this.#store.state.keks().values()]) {
      if (deleted === true && query.deleted !== true) continue;
      if (subjectPrefixes.length === 0 || (await this.#hasKeyOf(name, subjectPrefixes))) names.push(name);
    }
    return page(names.sort(), query);
  }

  /** Whether a KEK has a key of a subject that begins so. It may have very many keys. */
  async #hasKeyOf(kekName: string, prefixes: readonly string[]): Promise<boolean> {
    for (const { subject } of this.#store.state.deks.ofKek(kekName)) {
      if (prefixes.some((prefix) => isPrefixOf(prefix, subject))) return true;
      if (this.#time.isOver()) await this.#time.nextTurn();
    }
    return false;
  }

  /** `GET /keks/{name}` */
  async kek(name: string, query: { deleted?: boolean | undefined } = {}): Promise<KekAnswer> {
    return readFresh(this.#store, (state) => kekOf(state, name, query.deleted === true));
  }

  /** `POST /keks` */
  async createKek(body: unknown): Promise<KekAnswer> {
    const kek = readKekBody(body, this.#clock.nowMs());
    return this.#write((state) => {
      const existing = state.keks().get(kek.name);
      if (existing === undefined) {
        checkCount(state);
        return { changes: [putKek(kek)], reply: kek };
      }
      // A key that is marked as deleted can be created again as it was, and the other way round.
      const isMarkChanged = existing.deleted !== kek.deleted;
      if (!isMarkChanged || !isSameKek(existing, kek)) throw keyExists(kek.name);
      return { changes: [putKek(kek)], reply: kek };
    });
  }

  /** `PUT /keks/{name}` */
  async updateKek(name: string, body: unknown): Promise<KekAnswer> {
    const update = readKekUpdate(body);
    return this.#write((state) => {
      const kek = { ...kekOf(state, name, false), ...update, ts: this.#clock.nowMs() };
      return { changes: [putKek(kek)], reply: kek };
    });
  }

  /** `DELETE /keks/{name}` */
  async deleteKek(name: string, query: DeleteQuery = {}): Promise<void> {
    const isPermanent = query.permanent === true;
    await this.#write((state) => {
      const kek = kekOf(state, name, true);
      if (state.deks.ofKek(name).some(({ deleted }) => isPermanent || deleted !== true))
        throw new RegistryError('keyReferenceExists', `One or more references exist to the key ${name}.`);
      if (!isPermanent)
        return { changes: kek.deleted === true ? [] : [putKek({ ...kek, deleted: true })], reply: undefined };
      if (kek.deleted !== true) throw notSoftDeleted(name);
      return { changes: [remove(entryKeys.kek(name))], reply: undefined };
    });
  }

  /** `POST /keks/{name}/undelete` */
  async undeleteKek(name: string): Promise<void> {
    await this.#write((state) => {
      const kek = kekOf(state, name, true);
      const changes = kek.deleted === true ? [putKek(withoutUndefined({ ...kek, deleted: undefined }))] : [];
      return { changes, reply: undefined };
    });
  }

  /** `POST /keks/{name}/test`: the registry has no access to key-management services. */
  async testKek(name: string): Promise<KekAnswer> {
    const { shared } = await this.kek(name);
    if (!shared) return invalid('shared');
    throw noKms();
  }

  /** `GET /keks/{name}/deks` */
  async listDekSubjects(kekName: string, query: ListDeksQuery = {}): Promise<string[]> {
    return readFresh(this.#store, (state) => {
      kekOf(state, kekName, query.deleted === true);
      const deks = state.deks
        .ofKek(kekName)
        .filter(({ deleted }) => query.deleted === true || deleted !== true);
      return page([...new Set(deks.map(({ subject }) => subject))].sort(), query);
    });
  }

  /** `GET /keks/{name}/deks/{subject}/versions` */
  async listDekVersions(kekName: string, subject: string, query: ListDeksQuery = {}): Promise<number[]> {
    return readFresh(this.#store, (state) => {
      kekOf(state, kekName, query.deleted === true);
      const versions = state.deks
        .versions(kekName, subjectOf(state, subject), readAlgorithm(query.algorithm))
        .filter(({ deleted }) => query.deleted === true || deleted !== true);
      return page(
        versions.map(({ version }) => version),
        query,
      );
    });
  }

  /** `GET /keks/{name}/deks/{subject}` (version 1) and `.../versions/{version}` */
  async dek(
    kekName: string,
    subject: string,
    version: string | undefined,
    query: DekQuery = {},
  ): Promise<DekAnswer> {
    const wanted = version === undefined ? 1 : parseVersion(version);
    return readFresh(this.#store, (state) => {
      const isDeletedFound = query.deleted === true;
      kekOf(state, kekName, isDeletedFound);
      const found = state.deks
        .versions(kekName, subjectOf(state, subject), readAlgorithm(query.algorithm))
        .filter(({ deleted }) => isDeletedFound || deleted !== true)
        .findLast((dek) => wanted === 'latest' || dek.version === wanted);
      if (found === undefined) throw keyNotFound(subject);
      return found;
    });
  }

  /** `POST /keks/{name}/deks` (the body names the subject) and `POST /keks/{name}/deks/{subject}` */
  async createDek(kekName: string, pathSubject: string | undefined, body: unknown): Promise<DekAnswer> {
    const given = readDekBody(body);
    const named = pathSubject ?? given.subject;
    if (named === undefined || !isSubject(named)) return invalid('subject');
    return this.#write((state) => {
      const { shared } = kekOf(state, kekName, false);
      const subject = subjectOf(state, named);
      // An alias may stand for anything.
      if (!isSubject(subject)) return invalid('subject');
      if (given.encryptedKeyMaterial === undefined) {
        if (shared) throw noKms();
        return invalid('encryptedKeyMaterial');
      }
      const dek = withoutUndefined<DekAnswer>({
        kekName,
        subject,
        version: given.version,
        algorithm: given.algorithm,
        encryptedKeyMaterial: given.encryptedKeyMaterial,
        ts: this.#clock.nowMs(),
        deleted: given.isDeleted ? true : undefined,
      });
      const existing = state.deks.get(dek);
      const isSame = existing?.encryptedKeyMaterial === dek.encryptedKeyMaterial;
      const isMarkChanged = existing?.deleted !== dek.deleted;
      if (existing !== undefined && (shared || !isMarkChanged || !isSame)) throw keyExists(dek.subject);
      return { changes: [putDek(dek)], reply: dek };
    });
  }

  /** `DELETE /keks/{name}/deks/{subject}` (all versions) and `.../versions/{version}` */
  async deleteDek(
    kekName: string,
    subject: string,
    version: string | undefined,
    query: DeleteDekQuery = {},
  ): Promise<void> {
    const isPermanent = query.permanent === true;
    await this.#write((state) => {
      kekOf(state, kekName, true);
      const deks = seriesOf(state, kekName, subject, version, query.algorithm);
      if (!isPermanent) {
        const live = deks.filter(({ deleted }) => deleted !== true);
        return { changes: live.map((dek) => putDek({ ...dek, deleted: true })), reply: undefined };
      }
      if (deks.some(({ deleted }) => deleted !== true)) throw notSoftDeleted(subject);
      return { changes: deks.map((dek) => remove(entryKeys.dek(dek))), reply: undefined };
    });
  }

  /** `POST /keks/{name}/deks/{subject}/undelete` (all versions) and `.../versions/{version}/undelete` */
  async undeleteDek(
    kekName: string,
    subject: string,
    version: string | undefined,
    query: DekQuery = {},
  ): Promise<void> {
    await this.#write((state) => {
      if (kekOf(state, kekName, true).deleted === true)
        throw new RegistryError('keySoftDeleted', `Key '${kekName}' must be undeleted first`);
      const deks = seriesOf(state, kekName, subject, version, query.algorithm);
      const marked = deks.filter(({ deleted }) => deleted === true);
      return {
        changes: marked.map((dek) => putDek(withoutUndefined({ ...dek, deleted: undefined }))),
        reply: undefined,
      };
    });
  }

  #write<Reply>(
    decide: (state: RegistryState) => { readonly changes: readonly RegistryChange[]; readonly reply: Reply },
  ): Promise<Reply> {
    return writeFresh(this.#store, decide);
  }
}

function kekOf(state: RegistryState, name: string, isDeletedFound: boolean): KekAnswer {
  const kek = state.keks().get(name);
  if (kek === undefined || (kek.deleted === true && !isDeletedFound)) throw keyNotFound(name);
  return kek;
}

/** The versions of a subject's key, or one of them. */
function seriesOf(
  state: RegistryState,
  kekName: string,
  subject: string,
  version: string | undefined,
  algorithm: string | undefined,
): DekAnswer[] {
  const all = state.deks.versions(kekName, subjectOf(state, subject), readAlgorithm(algorithm));
  const wanted = version === undefined ? undefined : parseVersion(version);
  const deks =
    wanted === undefined
      ? all
      : wanted === 'latest'
        ? all.slice(-1)
        : all.filter((dek) => dek.version === wanted);
  if (deks.length === 0) throw keyNotFound(subject);
  return deks;
}

/** The one form of a subject, or the one that it is an alias of for keys. */
function subjectOf(state: RegistryState, subject: string): string {
  const named = normalSubject(subject);
  const config = state.config(named);
  const alias = config?.aliasForDeks || config?.alias;
  return alias === undefined || alias === '' ? named : referencedSubject(parseSubject(named).context, alias);
}

function isSameKek(a: KekAnswer, b: KekAnswer): boolean {
  const identity = ({ kmsType, kmsKeyId, kmsProps, doc, shared }: KekAnswer) =>
    JSON.stringify([kmsType, kmsKeyId, Object.entries(kmsProps ?? {}).sort(), doc ?? '', shared]);
  return identity(a) === identity(b);
}

function putKek(kek: KekAnswer): RegistryChange {
  return put('kek', entryKeys.kek(kek.name), kek);
}

function putDek(dek: DekAnswer): RegistryChange {
  return put('dek', entryKeys.dek(dek), dek);
}

function checkCount(state: RegistryState): void {
  if (state.keks().size >= registryLimits.keksMax)
    throw new RegistryError('tooManyKeys', `A maximum of ${registryLimits.keksMax} keys already exist`);
}

function keyNotFound(name: string): RegistryError {
  return new RegistryError('keyNotFound', `Key '${name}' not found`);
}

function keyExists(name: string): RegistryError {
  return new RegistryError('keyExists', `Key '${name}' already exists; use a different value`);
}

function notSoftDeleted(name: string): RegistryError {
  return new RegistryError(
    'keyNotSoftDeleted',
    `Key '${name}' was not deleted first before being permanently deleted`,
  );
}

function noKms(): RegistryError {
  return new RegistryError(
    'keyGenerationFailed',
    'This registry stores keys and has no access to key-management services; send encryptedKeyMaterial.',
  );
}
