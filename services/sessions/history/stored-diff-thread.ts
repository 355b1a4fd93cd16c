/** The thread that reads large patches: it receives orders and sends the JSON text of each answer. */
import { parentPort } from "node:worker_threads";
import { storedDiff, type StoredDiffOrder } from "./stored-diff.ts";

parentPort?.on("message", (order: StoredDiffOrder) => parentPort?.postMessage(JSON.stringify(storedDiff(order))));
