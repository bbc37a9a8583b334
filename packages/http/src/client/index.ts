export { AnswerTooLong, type HttpAnswer, httpExchange } from './http-exchange.ts';
export { HttpProtocolError, parseResponseHead, type ResponseHead } from './response-head.ts';
export { NoAnswerInTime, withinTime } from './time-limit.ts';
export { targetOfUrl } from './url-target.ts';
