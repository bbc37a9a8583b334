import type { FrameKind } from './frame-kinds.ts';

/** The only error that bytes of a peer may throw. The connection must then be closed. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** A frame that is only too large. Its kind and id are known, so it can be answered. */
export class FrameTooLarge extends FrameError {
  readonly kind: FrameKind;
  readonly id: number;

  constructor(kind: FrameKind, id: number, message: string) {
    super(message);
    this.kind = kind;
    this.id = id;
  }
}

export function notJson(): FrameError {
  return new FrameError('body is not JSON');
}

export function tooDeep(): FrameError {
  return new FrameError('body is nested too deeply');
}
