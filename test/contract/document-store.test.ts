/** The document stores that need no server. */
import { describeDocumentStore } from "./document-store.contract.ts";
import { openEmbedded, openOnEndpoint } from "../support/stores/open-stores.ts";

describeDocumentStore("SQLite", openEmbedded);
describeDocumentStore("MongoDB's wire protocol", openOnEndpoint);
