import type { ComponentKind } from '../component/component-config.ts';
import type { ComponentSpec } from '../component/component-spec.ts';

/** The components that configurations can use. */
export class Catalogue {
  readonly #specs = new Map<ComponentKind, Map<string, ComponentSpec>>();
  /** Names that Bento has and this engine has not, by kind. */
  readonly #unavailable: Readonly<Partial<Record<ComponentKind, ReadonlySet<string>>>>;

  constructor(
    specs: readonly ComponentSpec[],
    unavailable: Readonly<Partial<Record<ComponentKind, ReadonlySet<string>>>> = {},
  ) {
    for (const spec of specs) {
      const ofKind = this.#specs.get(spec.kind) ?? new Map<string, ComponentSpec>();
      if (ofKind.has(spec.name)) throw new Error(`${spec.kind} ${spec.name} is defined twice`);
      this.#specs.set(spec.kind, ofKind.set(spec.name, spec));
    }
    this.#unavailable = unavailable;
  }

  get<Kind extends ComponentKind>(kind: Kind, name: string): ComponentSpec<Kind> | undefined {
    return this.#specs.get(kind)?.get(name) as ComponentSpec<Kind> | undefined;
  }

  all(): ComponentSpec[] {
    return [...this.#specs.values()].flatMap((ofKind) => [...ofKind.values()]);
  }

  names(kind: ComponentKind): string[] {
    return [...(this.#specs.get(kind)?.keys() ?? [])].toSorted();
  }

  isKnownElsewhere(kind: ComponentKind, name: string): boolean {
    return this.#unavailable[kind]?.has(name) ?? false;
  }
}
