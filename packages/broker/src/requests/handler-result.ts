import type { Fields, WriteStruct } from '@weir/wire';

/** Result of a handler: a response, none (Produce with acks 0), or the end of the connection. */
export type Answer<Response extends Fields = Fields> = WriteStruct<Response> | 'noReply' | 'close';

export type HandlerResult<Response extends Fields> = Answer<Response> | Promise<Answer<Response>>;
