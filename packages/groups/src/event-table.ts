/** A table of events, by kind. */
export type EventTable<Events> = {
  readonly [Kind in keyof Events]: { readonly event: object; readonly answer: unknown };
};

export type EventOf<Events extends EventTable<Events>, Kind extends keyof Events> = {
  readonly kind: Kind;
} & Events[Kind]['event'];

export type AnswerOf<Events extends EventTable<Events>, Kind extends keyof Events> = Events[Kind]['answer'];
