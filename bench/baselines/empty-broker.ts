/** A program: a Moleculer broker with no service, until it has started. */
import { ServiceBroker } from "moleculer";

const broker = new ServiceBroker({ logger: false });
await broker.start();
console.log("started");
await broker.stop();
