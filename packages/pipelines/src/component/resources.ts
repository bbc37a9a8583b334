import type { ComponentKind } from './component-config.ts';
import type { Instances } from './instances.ts';

/** Components that a configuration defines once and uses by label. */
export class Resources {
  readonly #opened = new Map<string, unknown>();

  add<Kind extends ComponentKind>(kind: Kind, label: string, instance: Instances[Kind]): void {
    this.#opened.set(`${kind} ${label}`, instance);
  }

  /** The configuration was checked, so that a label is there. */
  get<Kind extends ComponentKind>(kind: Kind, label: string): Instances[Kind] {
    const found = this.find(kind, label);
    if (found === undefined) throw new Error(`there is no ${kind} resource ${label}`);
    return found;
  }

  find<Kind extends ComponentKind>(kind: Kind, label: string): Instances[Kind] | undefined {
    return this.#opened.get(`${kind} ${label}`) as Instances[Kind] | undefined;
  }
}
