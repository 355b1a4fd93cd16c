/**
 * The suite of every document store on a real MongoDB server: on the server of `MONGODB_URL`, or on one that it starts.
 * Long: each of its tests makes a database and its indexes.
 */
import { openOnServer } from "../support/stores/open-stores.ts";
import { MongodSet } from "../support/stores/mongod-set.ts";
import { describeDocumentStore } from "./document-store.contract.ts";
import { describeEventLogs } from "./store/event-logs.contract.ts";

describe("on a real MongoDB server", function () {
	this.timeout(120_000);
	let url = process.env["MONGODB_URL"] ?? "";
	let started: MongodSet | undefined;

	before(async () => {
		if (url !== "") return;
		started = await MongodSet.start(1);
		url = started.url;
	});
	after(() => started?.[Symbol.asyncDispose]());

	describeDocumentStore("a MongoDB server", () => openOnServer(url));
	describeEventLogs("a MongoDB server", (collections) => openOnServer(url, collections));
});
