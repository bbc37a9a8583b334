import type { OutputOf } from '@weir/api/client';

/** What the parts of the frame know of the place. */
export interface FrameProps {
  readonly context: OutputOf<'get_context'> | undefined;
  readonly clusterId: string | undefined;
}
