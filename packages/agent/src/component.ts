import type { Log } from '@weir/core';

/** A part of an agent. What it needs of the context, components before it must provide: the compiler checks that. */
interface Component<Needs, Provides extends object> {
  readonly name: string;
  /** Either starts completely, or leaves nothing behind. */
  readonly start: (context: Needs) => Started<Provides> | Promise<Started<Provides>>;
}

/** A component that runs until it is disposed of. */
interface Started<Provides extends object> extends AsyncDisposable {
  /** What it adds to the context of the components after it. */
  readonly provides: Provides;
}

export function started<Provides extends object>(
  provides: Provides,
  stop: () => void | Promise<void> = () => {},
): Started<Provides> {
  return {
    provides,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

interface BaseContext {
  readonly options: { readonly log: Log };
}

type StartAll<Base, Context> = (base: Base, running: AsyncDisposableStack) => Promise<Context>;

/** Components in the order in which they start. They stop in the reverse order. */
class Composition<Base extends BaseContext, Context extends Base> {
  readonly #startAll: StartAll<Base, Context>;

  constructor(startAll: StartAll<Base, Context>) {
    this.#startAll = startAll;
  }

  with<Provides extends object>({
    name,
    start,
  }: Component<Context, Provides>): Composition<Base, Context & Provides> {
    return new Composition(async (base, running) => {
      const context = await this.#startAll(base, running);
      const { log } = base.options;
      const component = await start(context);
      running.defer(() => log.debug('stopped component', { component: name }));
      running.use(component);
      log.debug('started component', { component: name });
      return { ...context, ...component.provides };
    });
  }

  /** If a component does not start, those before it are stopped. */
  async start(base: Base): Promise<{ readonly context: Context } & AsyncDisposable> {
    await using running = new AsyncDisposableStack();
    const context = await this.#startAll(base, running);
    const kept = running.move();
    return { context, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }
}

export function compose<Base extends BaseContext>(): Composition<Base, Base> {
  return new Composition(async (base) => base);
}
