/** The query engine as agents use it. It needs Node, which the rest of its package does not. */
export type {
  ByteRange,
  EventSource,
  EventTopic,
  RawPage,
  SidecarRef,
} from '../../../events/src/query/port.ts';
