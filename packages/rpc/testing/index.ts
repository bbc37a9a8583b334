export { callLimits, decodeFrame, encodeFrame, replyLimits } from '../src/frames/frame.ts';
