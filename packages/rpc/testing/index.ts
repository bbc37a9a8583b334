export { callLimits, decodeFrame, encodeFrame, replyLimits } from '../src/frame.ts';
