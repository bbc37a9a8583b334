package weir.interop;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * Reads bytes into Apache's classes and writes them back.
 *
 * <p>A line is {@code echo <api> <direction> <version> [<hex>]}, or {@code default <api> <direction> <version>} for a
 * message in which nothing was set. The api is a key, or {@code header} for the header of that direction. The answer is
 * {@code OK [<hex>]} or {@code ERR <reason>}.
 */
final class Echo {
    private Echo() {}

    static String answer(String line) {
        try {
            String[] words = line.split(" ");
            ApiMessage message = newMessage(words[1], words[2]);
            short version = Short.parseShort(words[3]);
            if (words[0].equals("echo")) read(message, version, words.length > 4 ? words[4] : "");
            return "OK " + HexFormat.of().formatHex(written(message, version));
        } catch (RuntimeException refused) {
            // A message of several lines would be taken for several answers.
            return "ERR " + refused.toString().replaceAll("\\s+", " ");
        }
    }

    private static ApiMessage newMessage(String api, String direction) {
        boolean request = direction.equals("request");
        if (api.equals("header")) return request ? new RequestHeaderData() : new ResponseHeaderData();
        ApiMessageType type = ApiMessageType.fromApiKey(Short.parseShort(api));
        return request ? type.newRequest() : type.newResponse();
    }

    private static void read(ApiMessage message, short version, String hex) {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
        message.read(new ByteBufferAccessor(bytes), version);
        if (bytes.hasRemaining()) throw new IllegalStateException(bytes.remaining() + " bytes were left over");
    }

    private static byte[] written(ApiMessage message, short version) {
        ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
        return Arrays.copyOfRange(buffer.array(), buffer.arrayOffset(), buffer.arrayOffset() + buffer.limit());
    }
}
