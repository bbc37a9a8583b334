import type { ComponentKind } from './component-config.ts';
import type { ComponentContext } from './component-context.ts';
import { type Field, type Fields, object, type Values } from './field.ts';
import type { Instances } from './instances.ts';
import type { Reading, TextPlace } from './reading.ts';

/** Where a component may be used: everywhere, or only in pipelines that a person runs on a machine of their own. */
type Availability = 'everywhere' | 'local';

/**
 * Who counts the connections of an input or output: the component itself, or its children. If neither does, it has no
 * lasting connection, and is counted as connected once it is open.
 */
type CountedBy = 'itself' | 'its children';

/** A type of component: what it does, its fields, and how one is made. */
export interface ComponentSpec<Kind extends ComponentKind = ComponentKind> {
  readonly kind: Kind;
  readonly name: string;
  /** One or two sentences for the reference. */
  readonly about: string;
  readonly field: Field<unknown>;
  readonly availability: Availability;
  readonly connectionsCountedBy?: CountedBy;
  /** Makes one. What it connects to may be down: it connects when it is used first. */
  open(values: unknown, context: ComponentContext): Instances[Kind] | Promise<Instances[Kind]>;
  /** Notes what fields say together and cannot mean. */
  check?(values: unknown, reading: Reading, place: TextPlace): void;
}

interface SpecOptions<Kind extends ComponentKind, T> {
  readonly name: string;
  readonly about: string;
  readonly availability?: Availability;
  readonly connectionsCountedBy?: CountedBy;
  open(values: T, context: ComponentContext): Instances[Kind] | Promise<Instances[Kind]>;
  check?(values: T, reading: Reading, place: TextPlace): void;
}

/** With fields, as most components have. */
export function componentOf<const Kind extends ComponentKind, const F extends Fields>(
  kind: Kind,
  options: SpecOptions<Kind, Values<F>> & { readonly fields: F },
): ComponentSpec<Kind> {
  return withField(kind, options, object(options.about, options.fields));
}

/** With one value instead of fields: `mapping: root = this`, `try: [...]`. */
export function componentWith<const Kind extends ComponentKind, T>(
  kind: Kind,
  options: SpecOptions<Kind, T> & { readonly field: Field<T> },
): ComponentSpec<Kind> {
  return withField(kind, options, options.field);
}

function withField<Kind extends ComponentKind, T>(
  kind: Kind,
  { name, about, availability = 'everywhere', connectionsCountedBy, open, check }: SpecOptions<Kind, T>,
  field: Field<T>,
): ComponentSpec<Kind> {
  return {
    kind,
    name,
    about,
    availability,
    field: field as Field<unknown>,
    open: (values, context) => open(values as T, context),
    ...(connectionsCountedBy && { connectionsCountedBy }),
    ...(check && { check: (values, reading, place) => check(values as T, reading, place) }),
  };
}
