/** Runs the suites on all document stores; with `MONGODB_URL` also on the server that it names. */
import { describeDocumentStore } from "./document-store.contract.ts";
import { openEmbedded, openOnEndpoint, openOnServer } from "../support/stores/open-stores.ts";

describeDocumentStore("SQLite", openEmbedded);
describeDocumentStore("MongoDB's wire protocol", openOnEndpoint);

const server = process.env["MONGODB_URL"];
if (server) describeDocumentStore("the server of MONGODB_URL", () => openOnServer(server));
