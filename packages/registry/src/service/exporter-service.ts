import type { Clock } from '@weir/core';
import type { ExporterAnswer, ExporterStatusAnswer } from '../registry-answers.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';

/** The exporters of a registry: what they copy, and whether they run. Their loops run elsewhere. */
export class ExporterService {
  readonly store: RegistryStore;
  readonly clock: Clock;

  constructor({ store, clock }: { store: RegistryStore; clock: Clock }) {
    this.store = store;
    this.clock = clock;
  }

  /** `GET /exporters` */
  async list(): Promise<string[]> {
    return later();
  }

  /** `POST /exporters` */
  async create(_body: unknown): Promise<{ readonly name: string }> {
    return later();
  }

  /** `GET /exporters/{name}` */
  async get(_name: string): Promise<ExporterAnswer> {
    return later();
  }

  /** `PUT /exporters/{name}` */
  async update(_name: string, _body: unknown): Promise<{ readonly name: string }> {
    return later();
  }

  /** `DELETE /exporters/{name}` */
  async delete(_name: string): Promise<void> {
    return later();
  }

  /** `GET /exporters/{name}/status` */
  async status(_name: string): Promise<ExporterStatusAnswer> {
    return later();
  }

  /** `GET /exporters/{name}/config` */
  async config(_name: string): Promise<Readonly<Record<string, string>>> {
    return later();
  }

  /** `PUT /exporters/{name}/config` */
  async putConfig(_name: string, _body: unknown): Promise<{ readonly name: string }> {
    return later();
  }

  /** `PUT /exporters/{name}/pause`, `/resume` and `/reset` */
  async control(_name: string, _action: 'pause' | 'resume' | 'reset'): Promise<{ readonly name: string }> {
    return later();
  }
}

function later(): never {
  throw new RegistryError('storeError', 'This endpoint is not served yet.');
}
