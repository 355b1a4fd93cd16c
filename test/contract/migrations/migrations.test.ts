/** Migrations on the document stores that need no server. */
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";
import { describeMigrations } from "./migrations.contract.ts";

describeMigrations("SQLite", openEmbedded);
describeMigrations("MongoDB's wire protocol", openOnEndpoint);
