import { toText } from '../go/coerce.ts';
import type { Frame } from '../runtime/frame.ts';
import type { MessageError } from '../runtime/message.ts';
import { type FunctionSpec, param, withDefault } from '../runtime/spec.ts';
import { find, setField, splitPath } from '../values/path.ts';
import type { Value, ValueObject } from '../values/value.ts';

const category = 'message';

const keyParam = [withDefault(param.string('key'), '')];

function asObject(metadata: ReadonlyMap<string, Value>, convert: (value: Value) => Value): ValueObject {
  const object: ValueObject = {};
  for (const [key, value] of metadata) setField(object, key, convert(value));
  return object;
}

/** One key of metadata, or all of it. The deprecated functions yield texts, and null for empty ones. */
function metadataMake(
  of: (frame: Frame) => ReadonlyMap<string, Value>,
  yieldsText: boolean,
): FunctionSpec['make'] {
  const convert = (value: Value): Value => (yieldsText ? toText(value) : value);
  return (args) => {
    const key = args.string('key');
    if (key === '') return (frame) => asObject(of(frame), convert);
    return (frame) => {
      const value = of(frame).get(key);
      if (value === undefined) return null;
      const converted = convert(value);
      return yieldsText && converted === '' ? null : converted;
    };
  };
}

const ofInput = ({ run, index }: Frame) => run.inputMetadata(index);
const ofOutput = ({ run }: Frame) => run.currentMetadata();

const errorField =
  (field: keyof MessageError): FunctionSpec['make'] =>
  () =>
  ({ run, index }) =>
    run.messageAt(index).error?.[field] ?? null;

const plain = (
  name: string,
  doc: string,
  make: FunctionSpec['make'],
  status?: 'experimental',
): FunctionSpec => ({
  name,
  category,
  doc,
  needs: 'message',
  params: [],
  make,
  ...(status === undefined ? {} : { status }),
});

export const messageFunctions: readonly FunctionSpec[] = [
  plain(
    'batch_index',
    'Yields the index of the message in its batch.',
    () =>
      ({ index }) =>
        index,
  ),
  plain(
    'batch_size',
    'Yields the number of messages of the batch.',
    () =>
      ({ run }) =>
        run.batch.length,
  ),
  plain(
    'content',
    'Yields the bytes of the message.',
    () =>
      ({ run, index }) =>
        run.contentAt(index),
  ),
  plain('error', 'Yields why the message failed before, or null.', errorField('message')),
  plain('error_source_label', 'Yields the label of the processor that failed, or null.', errorField('label')),
  plain('error_source_path', 'Yields the path of the processor that failed, or null.', errorField('path')),
  plain('error_source_type', 'Yields the type of the processor that failed, or null.', errorField('type')),
  plain(
    'errored',
    'Whether the message failed before.',
    () =>
      ({ run, index }) =>
        run.messageAt(index).error !== undefined,
  ),
  plain('flow_id', 'Yields an empty text: flows have no ids here.', () => () => '', 'experimental'),
  plain('tracing_id', 'Yields an empty text: messages have no traces here.', () => () => '', 'experimental'),
  plain('tracing_span', 'Yields null: messages have no traces here.', () => () => null, 'experimental'),
  {
    name: 'json',
    category,
    doc: 'Yields the field of the message at a path, whatever `this` is.',
    needs: 'message',
    params: [withDefault(param.string('path'), '')],
    make: (args) => {
      const path = args.string('path') === '' ? [] : splitPath(args.string('path'));
      return ({ run, index }) => find(run.documentAt(index), path) ?? null;
    },
  },
  {
    name: 'metadata',
    category,
    doc: 'Yields a key of the metadata of the message as it came, or all of it.',
    needs: 'message',
    params: keyParam,
    make: metadataMake(ofInput, false),
  },
  {
    name: 'meta',
    category: 'deprecated',
    doc: 'Is `metadata`, but yields texts.',
    status: 'deprecated',
    needs: 'message',
    params: keyParam,
    make: metadataMake(ofInput, true),
  },
  {
    name: 'root_meta',
    category: 'deprecated',
    doc: 'Yields a key of the new metadata as a text, or all of it.',
    status: 'deprecated',
    needs: 'message',
    params: keyParam,
    make: metadataMake(ofOutput, true),
  },
];
