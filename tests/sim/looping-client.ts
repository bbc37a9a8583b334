import { AnyBrokerClient, Refused } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';
import { ConnectionLost } from './client.ts';
import type { ClientDeps } from './deps.ts';

/** A client that works in rounds until it is stopped. After a refusal or a lost connection it waits and goes on. */
export abstract class LoopingClient {
  protected readonly world: ClientDeps;
  protected readonly client: AnyBrokerClient;
  protected isStopped = false;
  readonly #retryMs: number;

  protected constructor(world: ClientDeps, bootstrap: Bootstrap, { retryMs }: { readonly retryMs: number }) {
    this.world = world;
    this.client = new AnyBrokerClient(world, bootstrap);
    this.#retryMs = retryMs;
  }

  cut(): void {
    this.client.cut();
  }

  stop(): void {
    this.isStopped = true;
    this.client.cut();
  }

  protected start(): void {
    this.#work().catch((error) => this.world.problem(error));
  }

  protected abstract round(): Promise<void>;

  /** Drops what the failed round leaves uncertain. */
  protected onFailure(_error: Error): void {}

  protected pause(ms: number): Promise<void> {
    return new Promise<void>((resolve) => this.world.clock.after(ms, resolve));
  }

  async #work(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.round();
      } catch (error) {
        if (!(error instanceof ConnectionLost || error instanceof Refused)) throw error;
        this.onFailure(error);
        await this.pause(this.#retryMs);
      }
    }
  }
}
