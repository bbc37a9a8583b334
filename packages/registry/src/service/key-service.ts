import type { Clock } from '@weir/core';
import type { DekAnswer, KekAnswer } from '../registry-answers.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import type {
  DekQuery,
  DeleteDekQuery,
  DeleteQuery,
  ListDeksQuery,
  ListKeksQuery,
} from './registry-queries.ts';

/** `/dek-registry/v1/keks`: the keys for the encryption of fields. They are stored and returned, never used. */
export class KeyService {
  readonly store: RegistryStore;
  readonly clock: Clock;

  constructor({ store, clock }: { store: RegistryStore; clock: Clock }) {
    this.store = store;
    this.clock = clock;
  }

  /** `GET /keks` */
  async listKeks(_query: ListKeksQuery = {}): Promise<string[]> {
    return later();
  }

  /** `GET /keks/{name}` */
  async kek(_name: string, _query: { deleted?: boolean | undefined } = {}): Promise<KekAnswer> {
    return later();
  }

  /** `POST /keks` */
  async createKek(_body: unknown): Promise<KekAnswer> {
    return later();
  }

  /** `PUT /keks/{name}` */
  async updateKek(_name: string, _body: unknown): Promise<KekAnswer> {
    return later();
  }

  /** `DELETE /keks/{name}` */
  async deleteKek(_name: string, _query: DeleteQuery = {}): Promise<void> {
    return later();
  }

  /** `POST /keks/{name}/undelete` */
  async undeleteKek(_name: string): Promise<void> {
    return later();
  }

  /** `POST /keks/{name}/test` */
  async testKek(_name: string): Promise<KekAnswer> {
    return later();
  }

  /** `GET /keks/{name}/deks` */
  async listDekSubjects(_kekName: string, _query: ListDeksQuery = {}): Promise<string[]> {
    return later();
  }

  /** `GET /keks/{name}/deks/{subject}/versions` */
  async listDekVersions(_kekName: string, _subject: string, _query: ListDeksQuery = {}): Promise<number[]> {
    return later();
  }

  /** `GET /keks/{name}/deks/{subject}` (version 1) and `.../versions/{version}` */
  async dek(
    _kekName: string,
    _subject: string,
    _version: string | undefined,
    _query: DekQuery = {},
  ): Promise<DekAnswer> {
    return later();
  }

  /** `POST /keks/{name}/deks` (the body names the subject) and `POST /keks/{name}/deks/{subject}` */
  async createDek(_kekName: string, _subject: string | undefined, _body: unknown): Promise<DekAnswer> {
    return later();
  }

  /** `DELETE /keks/{name}/deks/{subject}` (all versions) and `.../versions/{version}` */
  async deleteDek(
    _kekName: string,
    _subject: string,
    _version: string | undefined,
    _query: DeleteDekQuery = {},
  ): Promise<void> {
    return later();
  }

  /** `POST /keks/{name}/deks/{subject}/undelete` (all versions) and `.../versions/{version}/undelete` */
  async undeleteDek(
    _kekName: string,
    _subject: string,
    _version: string | undefined,
    _query: DekQuery = {},
  ): Promise<void> {
    return later();
  }
}

function later(): never {
  throw new RegistryError('storeError', 'This endpoint is not served yet.');
}
