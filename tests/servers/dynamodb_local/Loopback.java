// DynamoDB Local has no option for the address that it listens on and takes all of them. This starts the same server on
// the loopback address. `safeStart` is `start` without the telemetry, which the arguments switch off as well.

import java.lang.reflect.Field;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

public final class Loopback {
    public static void main(String[] arguments) throws Exception {
        DynamoDBProxyServer dynamodb = ServerRunner.createServerFromCommandLineArgs(arguments);
        Field field = DynamoDBProxyServer.class.getDeclaredField("server");
        field.setAccessible(true);
        for (Connector connector : ((Server) field.get(dynamodb)).getConnectors()) {
            ((ServerConnector) connector).setHost("127.0.0.1");
        }
        dynamodb.safeStart();
        dynamodb.join();
    }
}
