// DynamoDB Local with two differences, neither of which it has an option for:
//
// - It listens on the loopback address, not on all of them.
// - The images of its stream have empty maps as {"M": {}}, as DynamoDB has them. It writes {} there, a value without a
//   type. Everything else keeps its type, an empty list too, so such a value is always an empty map.
//
// `safeStart` is `start` without the telemetry, which the arguments switch off as well.

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import java.lang.reflect.Field;
import java.util.List;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.AbstractLocalDynamoDBServerHandler;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

public final class LocalServer {
    public static void main(String[] arguments) throws Exception {
        DynamoDBProxyServer dynamodb = ServerRunner.createServerFromCommandLineArgs(arguments);
        Server server = (Server) read(DynamoDBProxyServer.class, "server", dynamodb);
        for (Connector connector : server.getConnectors()) {
            ((ServerConnector) connector).setHost("127.0.0.1");
        }
        Object handler = read(DynamoDBProxyServer.class, "serverHandler", dynamodb);
        ObjectMapper mapper = (ObjectMapper) read(AbstractLocalDynamoDBServerHandler.class, "jsonMapper", handler);
        mapper.setSerializerFactory(mapper.getSerializerFactory().withSerializerModifier(new TypedMaps()));
        dynamodb.safeStart();
        dynamodb.join();
    }

    private static Object read(Class<?> owner, String name, Object from) throws ReflectiveOperationException {
        Field field = owner.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(from);
    }

    private static final class TypedMaps extends BeanSerializerModifier {
        @Override
        public List<BeanPropertyWriter> changeProperties(
                SerializationConfig config, BeanDescription description, List<BeanPropertyWriter> writers) {
            if (description.getBeanClass() == AttributeValue.class) {
                writers.replaceAll(writer -> writer.getName().equals("M") ? new MapWriter(writer) : writer);
            }
            return writers;
        }
    }

    private static final class MapWriter extends BeanPropertyWriter {
        MapWriter(BeanPropertyWriter writer) {
            super(writer);
        }

        @Override
        public void serializeAsField(Object value, JsonGenerator json, SerializerProvider provider) throws Exception {
            if (((AttributeValue) value).type() == AttributeValue.Type.UNKNOWN_TO_SDK_VERSION) {
                json.writeObjectFieldStart("M");
                json.writeEndObject();
            } else {
                super.serializeAsField(value, json, provider);
            }
        }
    }
}
