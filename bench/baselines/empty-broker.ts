/** A program with a Moleculer broker without services, until the broker has started. */
import { ServiceBroker } from "moleculer";

const broker = new ServiceBroker({ logger: false });
await broker.start();
console.log("started");
await broker.stop();
