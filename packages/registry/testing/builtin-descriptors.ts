import { builtinFiles, readBuiltinTexts } from '../src/protobuf/builtin-files.ts';
import { encodeDescriptor } from '../src/protobuf/descriptor-writer.ts';

/** The files that Protobuf schemas may import without a reference: their text and their descriptor. */
export const builtinProtobufFiles = (): readonly {
  readonly path: string;
  readonly text: string;
  readonly descriptor: Uint8Array;
}[] =>
  [...readBuiltinTexts()].map(([path, text]) => ({
    path,
    text,
    descriptor: encodeDescriptor(builtinFiles().files.get(path)!, path),
  }));
