import type { SidecarRef } from './engine.ts';

export interface SidecarTask {
  readonly fromOffset: number;
  readonly toOffset: number;
}

/** Messages from the thread. */
export type SidecarMessage =
  | { readonly kind: 'next' }
  | { readonly kind: 'piece'; readonly piece: Uint8Array }
  | { readonly kind: 'done'; readonly built: BuiltRange | undefined }
  | { readonly kind: 'failed'; readonly problem: string };

export type BuiltRange = Omit<SidecarRef, 'id'>;
