/** The thread that counts: it receives an order and sends the result, again and again. */
import { parentPort } from "node:worker_threads";
import { type CountOrder, countFiles } from "./count-files.ts";

parentPort?.on("message", (order: CountOrder) => parentPort?.postMessage(countFiles(order)));
